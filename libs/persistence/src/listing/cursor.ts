import { createHash } from 'node:crypto';
import { PlatformError } from '@parley/core';
import { z } from 'zod';

/** A place in a list that runs from new to old. */
export interface Place {
  createdAt: Date;
  id: string;
}

/** Before everything that a list can hold. */
export const LIST_START = { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

const Cursor = z.tuple([z.string(), z.iso.datetime(), z.guid()]);

/**
 * The opaque form of a place. `list` says which list it belongs to, tenant included: elsewhere the cursor is refused.
 */
export const writeCursor = (list: readonly string[], { createdAt, id }: Place): string =>
  Buffer.from(JSON.stringify([sealOf(list), createdAt.toISOString(), id])).toString('base64url');

/**
 * Where a page starts, as the parameters of a row comparison.
 * @throws PlatformError `invalid_input` for what is no cursor of this list.
 */
export const readCursor = (list: readonly string[], cursor: string | undefined): { createdAt: string; id: string } => {
  if (cursor === undefined) return LIST_START;
  const parsed = Cursor.safeParse(jsonOf(cursor));
  if (!parsed.success || parsed.data[0] !== sealOf(list)) {
    const issues = [{ path: 'after', message: 'is not the cursor of a page of this list' }];
    throw new PlatformError('invalid_input', 'the cursor is not one of this list', { issues });
  }
  const [, createdAt, id] = parsed.data;
  return { createdAt, id };
};

const sealOf = (list: readonly string[]): string =>
  createHash('sha256').update(list.join('\0')).digest('base64url').slice(0, 8);

const jsonOf = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
};
