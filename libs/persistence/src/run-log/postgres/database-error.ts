import { PlatformError } from '@parley/core';

/** SQLSTATE of a server's refusal; undefined when the server did not answer at all. */
const sqlState = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)
    ? error.code
    : undefined;

/** The server gave way to another transaction (deadlock, serialization): the same call may be made again at once. */
const gaveWay = (error: unknown): boolean => ['40P01', '40001'].includes(sqlState(error) ?? '');

const MAX_ATTEMPTS = 20;

/** Runs a statement; where it had to give way to another transaction it is run again at once (DESIGN §7.2). */
export const insisting = async <T>(statement: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await statement();
    } catch (error) {
      if (!gaveWay(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
};

/** Classes of SQLSTATE that say the server is away or going: connection, resources, operator intervention. */
const AWAY = /^(08|53|57)/;

/** True when the server refused what it was given: the call as such is wrong, or one item of its batch is. */
export const refusedData = (error: unknown): boolean => {
  const state = sqlState(error);
  return state !== undefined && !AWAY.test(state);
};

/** What a caller of a store gets to see of a database error; the cause is for the log. */
export const toPlatformError = (error: unknown): PlatformError => {
  if (error instanceof PlatformError) return error;
  return refusedData(error)
    ? new PlatformError('internal', 'the database refused a statement', {}, { cause: error })
    : new PlatformError('unavailable', 'the database is away', {}, { cause: error });
};
