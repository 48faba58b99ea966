import fc from 'fast-check';
import { type Event } from './event.js';
import { durableFrameId, framesOf, FRAMES_PER_EVENT, seqOfFrame, type Frame } from './frame.js';
import { legalLogs } from './legal-logs.contract.js';

const textsOf = (frames: readonly Frame[]): Map<number, string> => {
  const texts = new Map<number, string>();
  for (const frame of frames) {
    if (frame.kind === 'delta') texts.set(frame.part, (texts.get(frame.part) ?? '') + frame.text);
  }
  return texts;
};

/** Replies with the text that they were shown by. */
const repliesOf = (events: readonly Event[]) =>
  events.flatMap((event) => (event.body.kind === 'model_replied' ? [{ event, body: event.body }] : []));

describe('frames', () => {
  it('have ids that rise over a whole log, however its text was cut', () => {
    fc.assert(
      fc.property(legalLogs, ({ events }) => {
        const ids = events.flatMap(framesOf).map(({ id }) => id);
        expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
        expect(ids.every(Number.isSafeInteger)).toBe(true);
      }),
    );
  });

  it('say the text of an event to the letter before the event itself', () => {
    fc.assert(
      fc.property(legalLogs, ({ events }) => {
        for (const { event, body } of repliesOf(events)) {
          const frames = framesOf(event);
          expect(frames.at(-1)).toEqual({ kind: 'event', id: durableFrameId(event.seq), run: event.run, event });
          const texts = textsOf(frames);
          body.parts.forEach((part, index) => {
            if ('text' in part && event.live) expect(texts.get(index) ?? '').toBe(part.text);
          });
        }
      }),
    );
  });

  it('say nothing of what was erased and keep the ids of the rest', () => {
    fc.assert(
      fc.property(legalLogs, ({ events }) => {
        for (const { event, body } of repliesOf(events)) {
          const parts = body.parts.map((part, index) =>
            index === 0 && part.type === 'text' ? { ...part, text: null } : part,
          );
          const live = event.live && { ...event.live, cuts: event.live.cuts.filter(([, part]) => part !== 0) };
          const erased: Event = { ...event, body: { ...body, parts }, live };
          const kept = framesOf(event).filter((frame) => frame.kind === 'event' || frame.part !== 0);
          expect(framesOf(erased).map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
        }
      }),
    );
  });

  it('know the event that they are or follow', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 30), fc.nat(FRAMES_PER_EVENT - 1), (seq, number) => {
        expect(seqOfFrame(durableFrameId(seq) + number)).toBe(seq);
      }),
    );
  });
});
