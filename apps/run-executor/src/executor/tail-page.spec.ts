import { type DeltaFrame, MAX_PAGE_BYTES, newId, RunId } from '@parley/core';
import { tailPage } from './tail-page.js';

const run = newId(RunId);
const frames = (count: number, text: string): DeltaFrame[] =>
  Array.from({ length: count }, (_, n) => ({ kind: 'delta', id: n + 1, run, part: 0, type: 'text', text }));
const idsOf = (tail: readonly { id: number }[]): number[] => tail.map(({ id }) => id);

describe('a page of a tail', () => {
  it('holds the whole message in the making while that is small, and does not say that there is more', () => {
    const tail = frames(3, 'words');
    expect(tailPage(tail)).toEqual({ frames: tail });
    expect(tailPage([])).toEqual({ frames: [] });
  });

  it('begins behind the frame that the reader has', () => {
    expect(idsOf(tailPage(frames(5, 'words'), 3).frames)).toEqual([4, 5]);
    expect(tailPage(frames(5, 'words'), 5)).toEqual({ frames: [] });
  });

  it('closes before it is too large for a message; asked again from its last frame, all of them come once', () => {
    const tail = frames(100, '€'.repeat(10_000));
    const seen: number[] = [];
    let pages = 0;
    let page = tailPage(tail);
    for (; ; page = tailPage(tail, seen.at(-1))) {
      expect(Buffer.byteLength(JSON.stringify(page.frames))).toBeLessThanOrEqual(MAX_PAGE_BYTES + 1_000);
      seen.push(...idsOf(page.frames));
      pages += 1;
      if (page.more !== true) break;
    }
    expect(seen).toEqual(idsOf(tail));
    expect(pages).toBe(6);
  });

  it('holds a frame that is larger than a page alone', () => {
    const tail = [...frames(1, 'x'.repeat(MAX_PAGE_BYTES)), ...frames(2, 'x').slice(1)];
    expect(tailPage(tail)).toEqual({ frames: tail.slice(0, 1), more: true });
    expect(tailPage(tail, 1)).toEqual({ frames: tail.slice(1) });
  });
});
