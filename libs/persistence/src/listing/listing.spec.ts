import { MAX_PAGE_BYTES } from '@parley/core';
import { readCursor, writeCursor, type Place } from './cursor.js';
import { loadPage } from './load-page.js';
import { namePattern } from './name-pattern.js';
import { scanPage, type ListedRow } from './scan-page.js';

const row = (n: number): ListedRow => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  createdAt: new Date(n),
  name: `row ${n}`,
  description: null,
});

/** A table of rows from `count` down to 1 that counts what is read of it. */
const table = (count: number) => {
  const rows = Array.from({ length: count }, (_, index) => row(count - index));
  const seen = { rows: 0 };
  const read = async (after: Place | undefined, take: number): Promise<ListedRow[]> => {
    const from = after ? rows.findIndex(({ id }) => id === after.id) + 1 : 0;
    const page = rows.slice(from, from + take);
    seen.rows += page.length;
    return page;
  };
  return { read, seen };
};

describe('a page of a list', () => {
  it('reads one row more than it shows, to know whether the list goes on', async () => {
    const { read, seen } = table(5);
    expect(await scanPage({ limit: 3, matching: undefined, read })).toEqual({
      ids: [row(5).id, row(4).id, row(3).id],
      next: row(3),
    });
    expect(seen.rows).toBe(4);
    expect((await scanPage({ limit: 5, matching: undefined, read })).next).toBeNull();
    expect(await scanPage({ limit: 3, matching: undefined, read: table(0).read })).toEqual({ ids: [], next: null });
  });

  it('goes on reading until a filter has filled it', async () => {
    const { read } = table(1_500);
    const rare = ({ name }: { name: string }) => /00$/.test(name);
    const page = await scanPage({ limit: 10, matching: rare, read });
    expect(page.ids).toHaveLength(10);
    expect(page.next).toEqual(row(600));
  });

  it('stops after 2,000 rows and says where to go on, however little it found', async () => {
    const { read, seen } = table(10_000);
    const page = await scanPage({ limit: 10, matching: ({ name }) => name === 'row 9000', read });
    expect(page).toEqual({ ids: [row(9_000).id], next: row(8_001) });
    expect(seen.rows).toBe(2_000);
  });

  it('stops when matching takes too long, but not before one row', async () => {
    const slow = (): boolean => {
      const until = performance.now() + 300;
      while (performance.now() < until);
      return true;
    };
    expect(await scanPage({ limit: 10, matching: slow, read: table(50).read })).toEqual({
      ids: [row(50).id],
      next: row(50),
    });
  });
});

describe('the rows of a page', () => {
  const rows = Array.from({ length: 100 }, (_, index) => row(100 - index));
  const scanned = { ids: rows.map(({ id }) => id), next: row(1) };
  /** Rows whose names have so many letters; counts how many were read. */
  const store = (letters: (n: number) => number) => {
    const seen = { rows: 0 };
    const load = async (ids: string[]): Promise<ListedRow[]> => {
      seen.rows += ids.length;
      const asked = rows.filter(({ id }) => ids.includes(id));
      return asked.map((one) => ({ ...one, name: 'x'.repeat(letters(one.createdAt.getTime())) }));
    };
    return { seen, load, placeOf: ({ id, createdAt }: ListedRow) => ({ id, createdAt }) };
  };
  const numbers = (items: ListedRow[]): number[] => items.map(({ createdAt }) => createdAt.getTime());

  it('are all loaded while they fit into a message', async () => {
    const page = await loadPage(
      scanned,
      store(() => 10),
    );
    expect(numbers(page.items)).toEqual(numbers(rows));
    expect(page.next).toEqual(row(1));
  });

  it('end before the one that does not fit, and the next page begins with it', async () => {
    const { load, placeOf } = store(() => MAX_PAGE_BYTES / 3);
    const page = await loadPage(scanned, { load, placeOf });
    expect(numbers(page.items)).toEqual([100, 99]);
    expect(page.next).toEqual(placeOf(row(99)));
  });

  it('hold one that is larger than a page alone, without reading all the others', async () => {
    const { load, placeOf, seen } = store((n) => (n === 100 ? 2 * MAX_PAGE_BYTES : 1));
    const page = await loadPage(scanned, { load, placeOf });
    expect(numbers(page.items)).toEqual([100]);
    expect(page.next).toEqual(placeOf(row(100)));
    expect(seen.rows).toBeLessThan(50);
  });
});

describe('a cursor', () => {
  it('leads back to its place, to the millisecond', () => {
    const place = { createdAt: new Date('2026-01-02T03:04:05.678Z'), id: row(1).id };
    const read = readCursor(['agents', 't1'], writeCursor(['agents', 't1'], place));
    expect(read).toEqual({ createdAt: '2026-01-02T03:04:05.678Z', id: row(1).id });
  });

  it.each(['', 'x', 'bnVsbA', Buffer.from('["a","b","c"]').toString('base64url'), '🙂'])('is not %j', (text) => {
    expect(() => readCursor(['agents', 't1'], text)).toThrow('not one of this list');
  });

  it('is refused by every list but its own', () => {
    const cursor = writeCursor(['agents', 't1'], { createdAt: new Date(), id: row(1).id });
    for (const list of [['agents', 't2'], ['sessions', 't1'], ['agents']]) {
      expect(() => readCursor(list, cursor)).toThrow('not one of this list');
    }
  });
});

describe('a name pattern', () => {
  it('looks into name and description', () => {
    const matches = namePattern('(?i)^inv.ice');
    expect(matches({ name: 'Invoice', description: null })).toBe(true);
    expect(matches({ name: 'x', description: 'invoice 7' })).toBe(true);
    expect(matches({ name: 'x', description: 'an invoice' })).toBe(false);
  });

  it.each(['(', '[z-a]', '(?=ahead)', '(a)\\1', 'x{100000}'])('refuses %j with a reason', (pattern) => {
    expect(() => namePattern(pattern)).toThrow('not an RE2 expression');
  });

  it('stays fast where backtracking would not', () => {
    const started = performance.now();
    expect(namePattern('(a+)+$')({ name: `${'a'.repeat(4_000)}b`, description: null })).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
