import { durableFrameId, FRAMES_PER_EVENT, framesOf, newId, RunId, type BodyOf, type Frame } from '@parley/core';
import { LiveText } from './live-text.js';

const run = newId(RunId);

const replied = (...texts: string[]): BodyOf<'model_replied'> => ({
  kind: 'model_replied',
  round: 1,
  parts: texts.map((text) => ({ type: 'text', text, origin: 'model' })),
  usage: { input: 1, cachedInput: 0, output: 1, reasoning: 0, estimated: false },
  model: 'm',
  finish: 'stop',
});

/** What replay makes of a reply that was shown so. */
const replayed = (live: LiveText, body: BodyOf<'model_replied'>, seq: number): Frame[] =>
  framesOf({ seq, run, at: new Date(), body, live: live.live ?? null, hidden: [] }).filter(
    ({ kind }) => kind === 'delta',
  );

describe('live text', () => {
  it('has ids after its event and before the next one', () => {
    const live = new LiveText(run, 7);
    const ids = ['a', 'b'].map((text) => live.show({ part: 0, type: 'text', text })?.id);
    expect(ids).toEqual([durableFrameId(7) + 1, durableFrameId(7) + 2]);
  });

  it('keeps nothing where nothing was shown', () => {
    expect(new LiveText(run, 7).live).toBeUndefined();
  });

  it('shows at the end what was not shown piece by piece', () => {
    const live = new LiveText(run, 7);
    const body = replied('all at once');
    const shown = live.showRest(body.parts);
    expect(shown).toMatchObject([{ id: durableFrameId(7) + 1, part: 0, text: 'all at once' }]);
    expect(replayed(live, body, 8)).toEqual(shown);
  });

  it('joins what would not fit between two events, and never runs out of ids', () => {
    const room = 1_024 + 3;
    const live = new LiveText(run, 7, room);
    const shown: Frame[] = [];
    for (const text of ['a', 'b', 'c', 'd', 'e']) {
      const frame = live.show({ part: 0, type: 'text', text });
      if (frame) shown.push(frame);
    }
    live.show({ part: 1, type: 'text', text: 'f' });
    expect(shown).toHaveLength(3);
    const body = replied('abcde', 'f');
    shown.push(...live.showRest(body.parts));
    expect(shown.map((frame) => (frame.kind === 'delta' ? frame.text : ''))).toEqual(['a', 'b', 'c', 'de', 'f']);
    expect(replayed(live, body, 8)).toEqual(shown);
    expect(room).toBeLessThan(FRAMES_PER_EVENT);
  });

  it('shows less rather than take an id of the next event', () => {
    const live = new LiveText(run, 7, 2);
    expect(live.showRest(replied('a', 'b', 'c').parts).map(({ id }) => id - durableFrameId(7))).toEqual([1, 2]);
  });
});
