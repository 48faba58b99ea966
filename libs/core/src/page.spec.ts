import { MAX_PAGE_BYTES, PageRoom, refuseLarge } from './page.js';

/** Takes so many bytes as JSON, quotes included. */
const weighing = (bytes: number): string => 'x'.repeat(bytes - 2);

describe('a page', () => {
  it('closes before the item that would make it larger than a page, and stays closed', () => {
    const room = new PageRoom();
    expect(room.takes(weighing(MAX_PAGE_BYTES - 10))).toBe(true);
    expect(room.takes(weighing(10))).toBe(true);
    expect(room.takes(weighing(3))).toBe(false);
    expect(room.takes('')).toBe(false);
  });

  it('takes one item whatever it weighs, and nothing behind it', () => {
    const room = new PageRoom();
    expect(room.takes(weighing(3 * MAX_PAGE_BYTES))).toBe(true);
    expect(room.takes('')).toBe(false);
  });

  it('counts bytes as they travel, not letters', () => {
    const room = new PageRoom();
    expect(room.takes('€'.repeat(MAX_PAGE_BYTES / 4))).toBe(true);
    expect(room.takes('\u0001'.repeat(MAX_PAGE_BYTES / 20))).toBe(false);
  });
});

describe('what is too large to be kept', () => {
  it('may weigh up to its limit, all fields together', () => {
    expect(() => refuseLarge({ name: weighing(40), metadata: { a: 1 }, none: undefined }, 47)).not.toThrow();
  });

  it('is refused by the name of its largest field, with the limit', () => {
    const refuse = (): void => refuseLarge({ name: weighing(40), metadata: { a: weighing(55) } }, 100);
    const message = 'has 61 bytes as JSON, together with the other fields 101, and at most 100 can be kept: shorten it';
    expect(refuse).toThrow(
      expect.objectContaining({
        ...{ code: 'too_large', message: `metadata ${message}` },
        details: { issues: [{ path: 'metadata', message }] },
      }),
    );
    expect(() => refuseLarge({ metadata: 'long' }, 5)).toThrow('metadata has 6 bytes as JSON and at most 5');
  });
});
