import fc from 'fast-check';
import { fold } from './apply.js';
import { type EventBody } from './event.js';
import { EMPTY_HEAD, hasOpenAsk, hasOpenCall, type Head } from './head.js';
import { legalLogs } from './legal-logs.contract.js';
import { endingEvents, settle } from './settle.js';

const after = (head: Head, bodies: EventBody[]): Head =>
  fold(
    bodies.map((body, index) => ({ seq: head.seq + 1 + index, run: head.run?.id ?? null, body })),
    head,
  );

const last = ({ heads }: { heads: Head[] }): Head => heads.at(-1) ?? EMPTY_HEAD;

describe('settle', () => {
  it('closes every call and every question, each once', () => {
    fc.assert(
      fc.property(legalLogs, (log) => {
        const head = last(log);
        const bodies = settle(head);
        const settled = after(head, bodies);
        expect(hasOpenCall(settled) || hasOpenAsk(settled)).toBe(false);
        const closed = bodies.map((body): string | null => {
          if (body.kind === 'call_settled') return body.call;
          return body.kind === 'answered' ? body.interrupt : null;
        });
        expect(new Set(closed).size).toBe(closed.length);
        expect(settle(settled)).toEqual([]);
      }),
    );
  });

  it('says of a call that was under way that nobody knows what it did, and of another that it was not made', () => {
    fc.assert(
      fc.property(legalLogs, (log) => {
        const { calls } = last(log);
        for (const body of settle(last(log))) {
          if (body.kind !== 'call_settled') continue;
          const expected = calls[body.call]?.stage === 'dispatched' ? 'unknown_outcome' : 'cancelled';
          expect(body.outcome).toBe(expected);
          expect(body.parts[0]?.text).not.toBe('');
        }
      }),
    );
  });
});

describe('the events that end a run', () => {
  it('leave nothing open and nobody with the turn, and end with run_ended', () => {
    fc.assert(
      fc.property(legalLogs, fc.boolean(), (log, rewind) => {
        const head = last(log);
        if (!head.run) return;
        const bodies = endingEvents(head, head.run, { state: 'cancelled', reason: 'asked_for', rewind });
        const ended = after(head, bodies);
        expect({ run: ended.run, calls: ended.calls, asks: ended.asks }).toEqual({ run: null, calls: {}, asks: {} });
        expect(bodies.at(-1)).toEqual({ kind: 'run_ended', state: 'cancelled', reason: 'asked_for' });
        expect(bodies.filter(({ kind }) => kind === 'run_ended')).toHaveLength(1);
        expect(bodies.some(({ kind }) => kind === 'rewound')).toBe(rewind);
      }),
    );
  });
});
