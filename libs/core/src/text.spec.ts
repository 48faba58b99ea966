import fc from 'fast-check';
import { isWellFormed, truncated, wellFormed } from './text.js';

/** Any string that JavaScript can hold: lone halves and U+0000 too. */
const strings = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });
const pairs = fc.string({ unit: fc.constantFrom('a', '\u0000', '\ud83d', '\ude00', '😀', '\u{10ffff}') });

describe('text', () => {
  it('can be stored after it was made well-formed, and is left alone if it was', () => {
    fc.assert(
      fc.property(fc.oneof(strings, pairs), (text) => {
        expect(isWellFormed(wellFormed(text))).toBe(true);
        expect(wellFormed(text)).toHaveLength(text.length);
        if (isWellFormed(text)) expect(wellFormed(text)).toBe(text);
        expect(Buffer.from(wellFormed(text), 'utf8').toString('utf8')).toBe(wellFormed(text));
      }),
    );
  });

  it('is cut to the longest prefix that splits no code point', () => {
    fc.assert(
      fc.property(
        fc.oneof(pairs.map(wellFormed), fc.string({ unit: 'binary' }).map(wellFormed)),
        fc.nat(12),
        (text, max) => {
          const cut = truncated(text, max);
          expect(text.startsWith(cut)).toBe(true);
          expect(isWellFormed(cut)).toBe(true);
          expect(cut.length).toBeLessThanOrEqual(max);
          const next = [...text.slice(cut.length)][0];
          if (next !== undefined) expect(cut.length + next.length).toBeGreaterThan(max);
        },
      ),
    );
  });
});
