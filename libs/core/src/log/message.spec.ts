import fc from 'fast-check';
import { type CallId } from '../ids.js';
import { type Event, partsOf } from './event.js';
import { EMPTY_HEAD, hasOpenCall, type Head } from './head.js';
import { legalLogs } from './legal-logs.contract.js';
import { messagesOf, type Message } from './message.js';

/** What a strict provider says of a conversation; undefined: nothing. */
const refusal = (messages: readonly Message[]): string | undefined => {
  const waiting = new Set<CallId>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!waiting.delete(message.call)) return 'a result without its call right before it';
      continue;
    }
    if (waiting.size > 0) return 'a call without its result';
    if (message.parts.length === 0) return 'an empty message';
    if (message.role === 'assistant') for (const part of message.parts) if (part.type === 'call') waiting.add(part.id);
  }
  return waiting.size > 0 ? 'a call without its result' : undefined;
};

/** Hides some parts, calls with their results. */
const hideSome = (events: readonly Event[], picked: readonly number[]): Event[] => {
  const count = events.length;
  const calls = new Set<CallId>();
  const hidden = new Map<number, number[]>();
  for (const number of picked) {
    const event = events[number % Math.max(1, count)];
    if (event?.body.kind === 'call_settled') calls.add(event.body.call);
    else if (event) hidden.set(event.seq, [number % 2]);
    const part = event?.body.kind === 'model_replied' ? event.body.parts[number % 2] : undefined;
    if (part?.type === 'call') calls.add(part.id);
  }
  return events.map((event) => {
    const own = hidden.get(event.seq) ?? [];
    if (event.body.kind === 'call_settled') return { ...event, hidden: calls.has(event.body.call) ? [0] : [] };
    if (event.body.kind !== 'model_replied') return { ...event, hidden: own };
    const gone = event.body.parts.flatMap((part, index) => (part.type === 'call' && calls.has(part.id) ? [index] : []));
    return { ...event, hidden: [...new Set([...own, ...gone])] };
  });
};

const last = (heads: readonly Head[]): Head => heads.at(-1) ?? EMPTY_HEAD;

describe('the messages that a model is shown', () => {
  it('are a conversation that a strict provider takes, whatever happened, was rewound or hidden', () => {
    fc.assert(
      fc.property(legalLogs, fc.array(fc.nat(1_000), { maxLength: 6 }), ({ events, heads }, picked) => {
        const head = last(heads);
        if (hasOpenCall(head)) return;
        expect(refusal(messagesOf(hideSome(events, picked), head.spans))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('miss nothing that is in force and shown', () => {
    fc.assert(
      fc.property(legalLogs, ({ events, heads }) => {
        const words = events.flatMap(({ body }): unknown[] =>
          body.kind !== 'answered' && body.kind !== 'model_failed' ? [...partsOf(body)] : [],
        );
        const shown = messagesOf(events, [[1, null]]).flatMap(({ parts }): unknown[] => parts);
        expect(shown).toEqual(words);
        expect(messagesOf(events, last(heads).spans).length).toBeLessThanOrEqual(
          messagesOf(events, [[1, null]]).length,
        );
      }),
    );
  });
});
