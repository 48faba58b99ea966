import fc from 'fast-check';
import { type Act } from './act.js';
import { cutWrites } from './cut-writes.js';

const send = (data: string, tokens = 0): Act => ({ do: 'send', data, tokens });
const texts = (acts: Iterable<Act>) =>
  [...acts].map((act) => (act.do === 'send' ? Buffer.from(act.data).toString() : act.do));

describe('cutWrites', () => {
  it('cuts the bytes at the given sizes in turn, across events', () => {
    expect(texts(cutWrites([send('abc'), send('defg')], { bytes: [1, 2] }))).toEqual(['a', 'bc', 'd', 'ef', 'g']);
  });

  it('writes what comes before a wait or an end before it', () => {
    const acts: Act[] = [send('abc'), { do: 'wait', ms: 5 }, send('d'), { do: 'reset' }];
    expect(texts(cutWrites(acts, { bytes: 2 }))).toEqual(['ab', 'c', 'wait', 'd', 'reset']);
  });

  it('pauses between writes', () => {
    expect(texts(cutWrites([send('abc')], { bytes: 1, pauseMs: 5 }))).toEqual(['a', 'wait', 'b', 'wait', 'c']);
  });

  it('changes neither the bytes nor the count of tokens, whatever the sizes', () => {
    const sizes = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }));
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), sizes, (pieces, bytes) => {
        const sent = [
          ...cutWrites(
            pieces.map((piece) => send(piece, 1)),
            { bytes },
          ),
        ].filter((act) => act.do === 'send');
        const all = Buffer.concat(sent.map(({ data }) => Buffer.from(data)));
        expect(all.toString()).toBe(pieces.join(''));
        if (all.length > 0) expect(sent.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(pieces.length);
      }),
    );
  });
});
