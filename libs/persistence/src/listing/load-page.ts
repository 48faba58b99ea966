import { PageRoom } from '@parley/core';
import { type Place } from './cursor.js';
import { type ScannedPage } from './scan-page.js';

/** So many rows are loaded at once: a page of the largest ones is closed long before all of it was read. */
const PORTION = 32;

/** How the rows of a page become the items of a list, in its order, and where an item stands in it. */
export interface PageLoad<T> {
  load: (ids: string[]) => Promise<T[]>;
  placeOf: (item: T) => Place;
}

/** Loads the rows of a page as far as they fit into a message; what does not is left to the page behind. */
export const loadPage = async <T>(
  { ids, next }: ScannedPage,
  { load, placeOf }: PageLoad<T>,
): Promise<{ items: T[]; next: Place | null }> => {
  const room = new PageRoom();
  const items: T[] = [];
  for (let from = 0; from < ids.length; from += PORTION) {
    for (const item of await load(ids.slice(from, from + PORTION))) {
      const last = items.at(-1);
      if (!room.takes(item) && last !== undefined) return { items, next: placeOf(last) };
      items.push(item);
    }
  }
  return { items, next };
};
