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

const textOf = (frames: readonly Frame[]): string =>
  frames.map((frame) => (frame.kind === 'delta' ? frame.text : '')).join('');

describe('live text', () => {
  it('has ids after its event and before the next one', () => {
    const live = new LiveText(run, 7);
    const ids = ['a', 'b'].flatMap((text) => live.show({ part: 0, type: 'text', text }).map(({ id }) => id));
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
      shown.push(...live.show({ part: 0, type: 'text', text }));
    }
    live.show({ part: 1, type: 'text', text: 'f' });
    expect(shown).toHaveLength(3);
    const body = replied('abcde', 'f');
    shown.push(...live.showRest(body.parts));
    expect(shown.map((frame) => (frame.kind === 'delta' ? frame.text : ''))).toEqual(['a', 'b', 'c', 'de', 'f']);
    expect(replayed(live, body, 8)).toEqual(shown);
    expect(room).toBeLessThan(FRAMES_PER_EVENT);
  });

  it('shows a reply of a million pieces in frames that its event can keep', () => {
    const live = new LiveText(run, 7);
    for (let n = 0; n < 1_000_000; n++) {
      live.show({ part: n < 500_000 ? 0 : 1, type: 'text', text: `piece ${n % 10} ` });
    }
    const words = Array.from({ length: 500_000 }, (_, n) => `piece ${n % 10} `).join('');
    const body = replied(words, words);
    live.showRest(body.parts);
    expect(Buffer.byteLength(JSON.stringify(live.live))).toBeLessThan(262_144);
    expect(replayed(live, body, 8)).toEqual(live.frames);
    expect(textOf(live.frames)).toBe(words + words);
  });

  it('shows what a provider says all at once in frames that fit into messages, none with half a code point', () => {
    const live = new LiveText(run, 7);
    const text = `x${'😀'.repeat(100_000)}`;
    const shown = live.show({ part: 0, type: 'text', text });
    expect(shown.length).toBeGreaterThan(3);
    for (const frame of shown) {
      expect(frame.text.length).toBeLessThanOrEqual(65_536);
      expect(frame.text.isWellFormed()).toBe(true);
    }
    expect(textOf(shown)).toBe(text);
    expect(replayed(live, replied(text), 8)).toEqual(shown);
  });

  it('shows less rather than take an id of the next event', () => {
    const live = new LiveText(run, 7, 2);
    expect(live.showRest(replied('a', 'b', 'c').parts).map(({ id }) => id - durableFrameId(7))).toEqual([1, 2]);
  });
});
