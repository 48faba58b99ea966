import { type Page, PlatformError } from '@parley/core';

/** A page of items, newest first, that are in one list; the cursor counts what came before. */
export const pageOfItems = <T>(
  items: T[],
  { limit, after }: { limit: number; after?: string | undefined },
): Page<T> => {
  const from = after === undefined ? 0 : Number(after);
  if (!Number.isInteger(from)) throw new PlatformError('invalid_input', 'no such page');
  const page = items.slice(from, from + limit);
  return { items: page, next: from + limit < items.length ? String(from + limit) : null };
};

/** Whether a name or description holds what a pattern looks for. */
export const matches = (pattern: string | undefined, ...texts: (string | null)[]): boolean =>
  pattern === undefined || texts.some((text) => text !== null && new RegExp(pattern).test(text));
