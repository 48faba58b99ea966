import {
  type DeltaFrame,
  durableFrameId,
  type Event,
  type EventBody,
  type Frame,
  framesOf,
  type Live,
  newId,
  type ReplyPart,
  RunId,
  SessionId,
} from '@parley/core';
import { type StreamedFrame } from '@parley/testing';
import fc from 'fast-check';
import { folded } from './events/folded.contract.js';
import { eventSetting, storedEvents } from './events/map.js';
import { FROM_START, type Resumption, resumeAt, showFrame, type Shown, type StreamState } from './frames.js';
import { EventIds } from './ids.js';

const session = newId(SessionId);
const run = newId(RunId);
const ids = new EventIds(session);
const setting = () => eventSetting({ session }, { agentKey: 'agent', sessionKey: 'session' });
const usage = { input: 1, cachedInput: 0, output: 1, reasoning: 0, estimated: false };

/** What a model says: pieces that are shown live, or text that is only committed. */
type Saying = { type: 'text' | 'reasoning'; pieces: string[] } | { type: 'quiet'; pieces: string[] };
type Act = { kind: 'reply' | 'lost'; says: Saying[] } | { kind: 'steer' | 'end' | 'failed' | 'cancelled' };

/** A log, and all frames that somebody heard who was there from the beginning, those of void text too. */
const historyOf = (acts: Act[]): { log: Event[]; heard: Frame[] } => {
  const log: Event[] = [];
  const heard: Frame[] = [];
  const commit = (body: EventBody, live: Live | null = null): void => {
    const event: Event = { seq: log.length + 1, run, at: new Date(log.length * 1000), body, live, hidden: [] };
    log.push(event);
    heard.push({ kind: 'event', id: durableFrameId(event.seq), run, event });
  };
  commit({ kind: 'input', parts: [{ type: 'text', text: 'hello', origin: 'user' }] });
  for (const act of acts) {
    if (act.kind === 'steer') commit({ kind: 'input', parts: [{ type: 'text', text: 'and', origin: 'user' }] });
    if (act.kind === 'end') commit({ kind: 'run_ended', state: 'succeeded', reason: null });
    if (act.kind === 'cancelled') commit({ kind: 'run_ended', state: 'cancelled', reason: null });
    if (act.kind === 'failed') {
      commit({ kind: 'model_failed', round: 1, attempt: 1, code: 'model_failed', message: 'why', usage: null });
      commit({ kind: 'run_ended', state: 'failed', reason: 'model_failed' });
    }
    if (act.kind !== 'reply' && act.kind !== 'lost') continue;
    const { parts, live, deltas } = said(act.says, log.length);
    heard.push(...deltas);
    if (act.kind === 'lost') commit({ kind: 'restarted', round: 1 });
    else commit({ kind: 'model_replied', round: 1, parts, usage, model: 'm', finish: 'stop' }, live);
  }
  return { log, heard };
};

const said = (says: Saying[], after: number): { parts: ReplyPart[]; live: Live | null; deltas: DeltaFrame[] } => {
  const parts: ReplyPart[] = [];
  const deltas: DeltaFrame[] = [];
  for (const { type, pieces } of says) {
    const shown = type === 'quiet' ? 'text' : type;
    const part = parts.push({ type: shown, text: pieces.join(''), origin: 'model' }) - 1;
    if (type === 'quiet') continue;
    for (const text of pieces) {
      const id = durableFrameId(after) + deltas.length + 1;
      deltas.push({ kind: 'delta', id, run, part, type, text });
    }
  }
  const cuts = deltas.map(({ part, text }, index): [number, number, number] => [index + 1, part, text.length]);
  return { parts, deltas, live: cuts.length > 0 ? { after, cuts } : null };
};

const shownFrom = (frames: Frame[], { amid, skip }: Resumption = FROM_START, before: Event | null = null): Shown[] => {
  let state: StreamState = { amid, before };
  const all: Shown[] = [];
  const one = setting();
  for (const frame of frames) {
    const { shown, state: next } = showFrame(frame, state, one);
    state = next;
    all.push(...shown.filter(({ place }) => skip?.frame !== frame.id || place.sub > skip.sub));
  }
  return all;
};

const streamed = (shown: Shown[]): StreamedFrame[] =>
  shown.map(({ place, event }) => ({ id: ids.of(place), event: { ...event } }));

const listed = (log: Event[]): unknown[] => {
  const one = setting();
  return log.flatMap((event, index) => storedEvents(event, log[index - 1] ?? null, one).map((stored) => stored.event));
};

const pieces = fc.array(fc.constantFrom('a', 'bc ', '🙂', 'd'), { minLength: 1, maxLength: 3 });
const thought = fc.record({ type: fc.constant('reasoning' as const), pieces });
const text = fc.record({ type: fc.constantFrom('text' as const, 'quiet' as const), pieces });
const says = fc.oneof<fc.Arbitrary<Saying[]>[]>(
  fc.tuple(text),
  fc.tuple(thought, text),
  fc.tuple(thought),
  fc.constant([]),
);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('reply' as const, 'lost' as const), says }) },
  fc.record({ kind: fc.constantFrom('steer' as const, 'end' as const, 'failed' as const, 'cancelled' as const) }),
);
const acts = fc.array(act, { maxLength: 8 });

describe('the frames of a session, shown as Vectara events', () => {
  it('fold to the list of its events, live and replayed', () => {
    fc.assert(
      fc.property(acts, (history) => {
        const { log, heard } = historyOf(history);
        expect(folded(streamed(shownFrom(heard)))).toEqual(listed(log));
        expect(folded(streamed(shownFrom(log.flatMap(framesOf))))).toEqual(listed(log));
      }),
    );
  });

  it('go on alike for a client that comes back behind any of them', () => {
    fc.assert(
      fc.property(acts, (history) => {
        const { log, heard } = historyOf(history);
        const replay = log.flatMap(framesOf);
        const kept = new Set(replay.map(({ id }) => id));
        const whole = shownFrom(heard);
        whole.forEach(({ place }, index) => {
          const parsed = ids.placeOf(ids.of(place));
          expect(parsed).toEqual(place);
          const resumption = resumeAt(place);
          const before = log.findLast(({ seq }) => durableFrameId(seq) <= resumption.after) ?? null;
          const rest = replay.filter(({ id }) => id > resumption.after);
          const expected = whole.slice(index + 1).filter((one) => kept.has(one.place.frame));
          expect(shownFrom(rest, resumption, before)).toEqual(expected);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('name every place once, in rising order', () => {
    fc.assert(
      fc.property(acts, (history) => {
        const places = shownFrom(historyOf(history).heard).map(({ place }) => [place.frame, place.sub] as const);
        const sorted = [...places].sort(([a, x], [b, y]) => a - b || x - y);
        expect(places).toEqual(sorted);
        expect(new Set(places.map(String)).size).toBe(places.length);
      }),
    );
  });

  it('give the whole text to a reader who had half of it and cannot have the rest in pieces', () => {
    const { log } = historyOf([{ kind: 'reply', says: [{ type: 'quiet', pieces: ['whole'] }] }]);
    const [, reply] = log.flatMap(framesOf);
    const resumption: Resumption = {
      after: durableFrameId(1) + 1,
      amid: { open: 'text', restarted: false },
      skip: null,
    };
    const shown = shownFrom(reply ? [reply] : [], resumption, log[0] ?? null);
    expect(shown.map(({ event }) => event.type)).toEqual([
      'streaming_agent_output_end',
      'agent_output',
      'context_consumed',
    ]);
  });
});
