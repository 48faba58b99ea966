import { PlatformError } from '@parley/core';
import { Prisma } from '../generated/client.js';

/** The SQLSTATE of each constraint that a store turns into an answer. */
const STATES = { unique: '23505', foreign_key: '23503' } as const;
const CODES = { unique: 'P2002', foreign_key: 'P2003' } as const;

/** True when a statement failed because it would have broken a constraint of that kind. */
export const breaks = (kind: keyof typeof STATES, error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError &&
  (error.code === CODES[kind] || sqlStateOf(error) === STATES[kind]);

/** What a caller of a store gets to see of a failure that the store has no answer for. */
export const storeFailure = (error: unknown): PlatformError => {
  if (error instanceof PlatformError) return error;
  const refused = error instanceof Prisma.PrismaClientKnownRequestError && /^(22|23|42)/.test(sqlStateOf(error) ?? '');
  return refused
    ? new PlatformError('internal', 'the database refused a statement', {}, { cause: error })
    : new PlatformError('unavailable', 'the database is away', {}, { cause: error });
};

const sqlStateOf = ({ meta }: Prisma.PrismaClientKnownRequestError): string | undefined => {
  const adapterError = meta?.['driverAdapterError'];
  const cause = adapterError instanceof Error ? adapterError.cause : undefined;
  if (typeof cause !== 'object' || cause === null || !('originalCode' in cause)) return undefined;
  return typeof cause.originalCode === 'string' ? cause.originalCode : undefined;
};
