import { type PlatformError } from '@parley/core';

/** An error as a client of one dialect reads it. */
export interface Refusal {
  status: number;
  headers?: Record<string, string>;
  body: object;
}

/** What the door has to know of a dialect: which paths are its own, and how it says no. */
export interface Dialect {
  /** Whether a path, without query, belongs to it; also one that leads nowhere. */
  owns(path: string): boolean;
  /** The answer for an error, before any of a response was sent. */
  refusal(error: PlatformError, requestId: string): Refusal;
}
