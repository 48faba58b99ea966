import { createHmac, timingSafeEqual } from 'node:crypto';
import { PlatformError, type TenantId } from '@parley/core';
import { z } from 'zod';

const MAC_BYTES = 12;

/** How many items a list answers with; what is out of range is refused, not clamped. */
export const Limit = z
  .string()
  .regex(/^\d{1,3}$/, 'must be a whole number from 1 to 100')
  .transform(Number)
  .pipe(z.number().min(1).max(100))
  .default(10);

/** A flag in a query string. */
export const Flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** What a page is a page of: a cursor is good for the same tenant, list and filters only. */
export interface Listing {
  tenant: TenantId;
  /** The operation, and the noun that it is under. */
  list: string;
  filters: Record<string, string | number | boolean | undefined>;
}

/** Makes and reads `page_key`s: where the next page begins, sealed, so that nobody makes or moves one. */
export class PageKeys {
  constructor(private readonly secret: string) {}

  /** `metadata` of a list; without a key on the last page. */
  metadata(listing: Listing, next: string | null): { page_key?: string } {
    return next === null ? {} : { page_key: this.#seal(listing, next) };
  }

  /**
   * Where a page begins.
   * @throws PlatformError `invalid_input` for a key that was not made by this list with these filters.
   */
  open(listing: Listing, pageKey: string | undefined): string | undefined {
    if (pageKey === undefined) return undefined;
    const bytes = Buffer.from(pageKey, 'base64url');
    const next = bytes.subarray(MAC_BYTES).toString('utf8');
    if (bytes.length <= MAC_BYTES || !timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.#mac(listing, next))) {
      throw badPageKey();
    }
    return next;
  }

  #seal(listing: Listing, next: string): string {
    return Buffer.concat([this.#mac(listing, next), Buffer.from(next)]).toString('base64url');
  }

  #mac({ tenant, list, filters }: Listing, next: string): Buffer {
    const sorted = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1));
    const text = JSON.stringify([tenant, list, sorted, next]);
    return createHmac('sha256', this.secret).update(text).digest().subarray(0, MAC_BYTES);
  }
}

/** The refusal of a cursor. */
export const badPageKey = (): PlatformError =>
  new PlatformError('invalid_input', 'page_key is not valid', {
    issues: [{ path: 'page_key', message: 'is not a page key of this list with these filters' }],
  });
