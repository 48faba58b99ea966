import { type Place } from './cursor.js';
import { type Described } from './name-pattern.js';

/** A row as a list is scanned by. */
export type ListedRow = Place & Described;

/** A page of a list, before its rows are loaded whole. `next`: the last row of the page; null where the list ends. */
export interface ScannedPage {
  ids: string[];
  next: Place | null;
}

/** What a page is made of. */
export interface PageScan {
  limit: number;
  /** Which rows belong on it; absent: all. */
  matching: ((row: Described) => boolean) | undefined;
  /** Reads the `take` rows behind a place; `undefined`: from where the page starts. */
  read: (after: Place | undefined, take: number) => Promise<ListedRow[]>;
}

const STEP = 500;
/** A filter that finds little must not read the whole table: then the page is short, and `next` leads on. */
const MAX_SCANNED = 2_000;
const MAX_MATCHING_MS = 250;

/** Collects the page's rows: at most `limit`, from at most 2,000 rows, matched for at most about 250 ms. */
export const scanPage = async ({ limit, matching, read }: PageScan): Promise<ScannedPage> => {
  const found: ListedRow[] = [];
  const take = matching ? STEP : limit + 1;
  let last: ListedRow | undefined;
  let scanned = 0;
  let spentMs = 0;
  while (scanned < MAX_SCANNED && spentMs < MAX_MATCHING_MS) {
    const rows = await read(last, take);
    const started = performance.now();
    for (const row of rows) {
      const fits = matching?.(row) ?? true;
      if (fits && found.length === limit) return pageOf(found, found.at(-1));
      if (fits) found.push(row);
      last = row;
      scanned += 1;
      if (spentMs + performance.now() - started >= MAX_MATCHING_MS) break;
    }
    spentMs += performance.now() - started;
    if (rows.length < take && last === rows.at(-1)) return pageOf(found, undefined);
  }
  return pageOf(found, last);
};

const pageOf = (rows: ListedRow[], next: Place | undefined): ScannedPage => ({
  ids: rows.map(({ id }) => id),
  next: next ?? null,
});
