import { z } from 'zod';
import { PlatformError } from './error.js';

/** Lists come in pages: `next` is the opaque place where the following page starts, null on the last one. */
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().nullable() });

/** One page of a list, as `pageOf` describes it. */
export interface Page<T> {
  items: T[];
  next: string | null;
}

/**
 * What a page may weigh, and what one item may that is to stand in pages, in bytes of JSON. Half of what a message
 * carries (DESIGN §6): the other half is for what the platform adds, such as a session's head or how text was shown.
 */
export const MAX_PAGE_BYTES = 524_288;

/** What a page still has room for. The first item always fits: a page that holds nothing leads nowhere. */
export class PageRoom {
  #left = MAX_PAGE_BYTES;
  #isEmpty = true;

  /** Whether the item goes onto the page; false: the page is closed before it. */
  takes(item: unknown): boolean {
    this.#left -= bytesOf(item);
    const fits = this.#isEmpty || this.#left >= 0;
    this.#isEmpty = false;
    return fits;
  }
}

/**
 * Lets fields through that together weigh at most `max` bytes as JSON.
 * @throws PlatformError `too_large`, naming the largest of them and the limit.
 */
export const refuseLarge = (fields: Readonly<Record<string, unknown>>, max: number): void => {
  const sizes = Object.entries(fields).map(([path, value]) => ({ path, bytes: bytesOf(value) }));
  const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  if (!largest || bytes <= max) return;
  const others = sizes.length > 1 ? `, together with the other fields ${bytes},` : '';
  const message = `has ${largest.bytes} bytes as JSON${others} and at most ${max} can be kept: shorten it`;
  throw new PlatformError('too_large', `${largest.path} ${message}`, { issues: [{ path: largest.path, message }] });
};

const bytesOf = (value: unknown): number => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)));
