import fc from 'fast-check';
import { BlobId, CallId, newId } from '../../ids.js';
import { MAX_PAGE_BYTES } from '../../page.js';
import {
  inBlob,
  largeParts,
  MAX_INLINE_BYTES,
  MAX_INLINE_TOTAL_BYTES,
  outOfBlob,
  refuseLargeParts,
  wordsOf,
} from './large-part.js';
import { type InputPart, type Part, type TextPart } from './part.js';

const text = (words: string | null): TextPart => ({ type: 'text', text: words, origin: 'user' });
const call = (words: string): Part => ({
  type: 'call',
  id: newId(CallId),
  name: 'look',
  arguments: words,
  origin: 'model',
});
const image = (data: string): Part => ({
  type: 'image',
  source: { kind: 'base64', mediaType: 'image/png', data },
  origin: 'user',
});
const blob = { id: newId(BlobId), size: 1 };
const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('words that are large', () => {
  it.each([
    ['letters', 'x'.repeat(MAX_INLINE_BYTES - 2)],
    ['letters of two bytes', 'ü'.repeat(MAX_INLINE_BYTES / 2 - 1)],
    ['characters that JSON escapes', '\u0001'.repeat(Math.floor((MAX_INLINE_BYTES - 2) / 6))],
  ])('are those over 64 KiB of JSON: %s', (_what, words) => {
    expect(largeParts([text(words)])).toEqual([]);
    expect(largeParts([text('small'), text(`${words}${words[0]}`)])).toEqual([1]);
    expect(largeParts([call(`${words}${words[0]}`), text(null)])).toEqual([0]);
    expect(largeParts([text(null), image(`${words}${words[0]}`)])).toEqual([1]);
  });

  it('are also the largest of many that are too much together', () => {
    const parts = [...Array.from({ length: 6 }, () => text('x'.repeat(60_000))), text('y'.repeat(50_000)), text('z')];
    expect(largeParts(parts)).toHaveLength(3);
    expect(largeParts(parts)).not.toContain(6);
  });

  it('are never those that a preview would hold whole', () => {
    expect(largeParts(Array.from({ length: 10_000 }, () => text('x'.repeat(300))))).toEqual([]);
  });

  it('leave an event that fits into a message and a page, whatever they are', () => {
    const words = fc.string({ unit: fc.constantFrom('x', 'ü', '😀', '\u0001', '"'), maxLength: 64 });
    const part = fc.tuple(words, fc.integer({ min: 1, max: 4_000 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (made) => {
        const parts = made.map(([piece, times, isCall]) => (isCall ? call : text)(piece.repeat(times)));
        const large = new Set(largeParts(parts));
        const left = parts.map((one, index) => (large.has(index) ? inBlob(one, blob) : one));
        expect(largeParts(left)).toEqual([]);
        expect(bytes(left)).toBeLessThan(MAX_INLINE_TOTAL_BYTES + 4_096 * (parts.length + 1));
        left.forEach((one) => expect(bytes(wordsOf(one))).toBeLessThanOrEqual(MAX_INLINE_BYTES));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a part whose words stand in a blob', () => {
  it('keeps their beginning: at most 1 KiB, whole code points, the rest of itself as it was', () => {
    for (const padding of ['', 'x']) {
      const part = text(padding + '😀'.repeat(10_000));
      const left = inBlob(part, blob);
      const preview = wordsOf(left) ?? '';
      expect(left).toEqual({ ...part, text: preview, blob });
      expect(Buffer.byteLength(preview)).toBeLessThanOrEqual(1_024);
      expect(preview.isWellFormed()).toBe(true);
      expect(wordsOf(part)?.startsWith(preview)).toBe(true);
    }
  });

  it('keeps nothing of the bytes of an image', () => {
    expect(inBlob(image('A'.repeat(100_000)), blob)).toEqual({ ...image(''), blob });
  });

  it('has them back as it had them, or none where they were erased', () => {
    for (const part of [text('x'.repeat(100_000)), call('{"a":1}'), image('aGk=')]) {
      expect(outOfBlob(inBlob(part, blob), wordsOf(part))).toEqual(part);
      expect(wordsOf(outOfBlob(inBlob(part, blob), null))).toBeNull();
      expect(outOfBlob(inBlob(part, blob), null)).not.toHaveProperty('blob');
    }
  });
});

describe('parts that no page could hold', () => {
  const many = (count: number, words: string, more: Partial<TextPart> = {}): InputPart[] =>
    Array.from({ length: count }, () => ({ ...text(words), ...more }));

  it('are refused by their number, with the limit', () => {
    const refuse = (): void => refuseLargeParts(many(20_000, 'x'));
    expect(refuse).toThrow(expect.objectContaining({ code: 'too_large' }));
    expect(refuse).toThrow(`at most ${MAX_PAGE_BYTES}`);
  });

  it('are refused by their addresses too, where they are images', () => {
    const at = (count: number): InputPart[] =>
      Array.from({ length: count }, () => ({
        type: 'image',
        source: { kind: 'url', url: `https://a.example/${'x'.repeat(8_000)}` },
        origin: 'user',
      }));
    expect(() => refuseLargeParts(at(60))).not.toThrow();
    expect(() => refuseLargeParts(at(70))).toThrow(expect.objectContaining({ code: 'too_large' }));
  });

  it.each(['x', '€', '\u0001'])('are exactly those that weigh more than a page: of %j', (letter) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 0, max: 200 }), (count, length) => {
        const parts = many(count, letter.repeat(length), { blob });
        const refuse = (): void => refuseLargeParts(parts);
        if (bytes(parts) > MAX_PAGE_BYTES) expect(refuse).toThrow('parts has');
        else expect(refuse).not.toThrow();
      }),
      { numRuns: 30 },
    );
  });
});
