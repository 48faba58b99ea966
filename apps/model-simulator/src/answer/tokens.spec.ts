import fc from 'fast-check';
import { piecesOf, tokensOf } from './tokens.js';

describe('tokensOf', () => {
  it('cuts a text before the white space of each word', () => {
    expect(tokensOf('Let me  look.\n')).toEqual(['Let', ' me', '  look.', '\n']);
  });

  it('loses nothing of any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => expect(tokensOf(text).join('')).toBe(text)));
  });

  it('leaves an array as it is', () => {
    expect(tokensOf(['', 'a b'])).toEqual(['', 'a b']);
  });
});

describe('piecesOf', () => {
  it('cuts a text into as many parts as asked for, at most one a code point', () => {
    expect(piecesOf('{"a":1}', 3)).toEqual(['{"a', '":1', '}']);
    expect(piecesOf('😀😀', 5)).toEqual(['😀', '😀']);
    expect(piecesOf('', 2)).toEqual([]);
  });

  it('loses nothing of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 50 }), (text, count) => {
        const pieces = piecesOf(text, count);
        expect(pieces.join('')).toBe(text);
        expect(pieces.length).toBeLessThanOrEqual(count);
        expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      }),
    );
  });
});
