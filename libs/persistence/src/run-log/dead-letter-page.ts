import { type DeadLetter, type Page, type TenantId } from '@parley/core';
import { readCursor, writeCursor } from '../listing/cursor.js';

const listOf = (tenant: TenantId): string[] => ['dead-letters', tenant];

/** Where a page of the tenant's dead letters starts: behind the run `id`, which ended at `at`. */
export const deadLettersFrom = (tenant: TenantId, after: string | undefined): { at: string; id: string } => {
  const { createdAt: at, id } = readCursor(listOf(tenant), after);
  return { at, id };
};

/** The page of `limit` dead letters, from one more than it holds where the list goes on. */
export const deadLetterPage = (tenant: TenantId, letters: DeadLetter[], limit: number): Page<DeadLetter> => {
  const items = letters.slice(0, limit);
  const last = letters.length > limit ? items.at(-1) : undefined;
  return { items, next: last ? writeCursor(listOf(tenant), { createdAt: last.at, id: last.run }) : null };
};
