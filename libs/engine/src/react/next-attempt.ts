import { type Retry } from '@parley/core';

/** What a failed model call tells of another attempt. */
export interface FailedAttempt {
  /** Counts from 1 within the round. */
  attempt: number;
  /** Whether the same call may succeed later. */
  retryable: boolean;
  /** What the provider asked to wait, in milliseconds. */
  retryAfterMs?: number;
}

/** Times in milliseconds since 1970, by the database's clock. */
export interface AttemptTimes {
  now: number;
  /** When the run is over whatever happens. */
  deadline: number;
  /**
   * 0 to 1: where between four and six fifths of its length the backoff lies, and how much of two fifths of it comes on
   * top of a provider's wish, so that runs which failed together do not come back together.
   */
  jitter: number;
}

/**
 * When a failed model call may be made again: after its backoff, and not before the provider's own wish. Undefined:
 * never, since it would fail again, was tried often enough, or would begin after the run's deadline.
 */
export const nextAttemptAt = (
  retry: Retry,
  { attempt, retryable, retryAfterMs = 0 }: FailedAttempt,
  { now, deadline, jitter }: AttemptTimes,
): number | undefined => {
  if (!retry.enabled || !retryable || attempt > retry.maxRetries) return undefined;
  const backoff = Math.min(retry.maxBackoffMs, retry.initialBackoffMs * retry.factor ** (attempt - 1));
  const spread = 0.4 * backoff * jitter;
  const at = Math.ceil(now + Math.max(0.8 * backoff, retryAfterMs) + spread);
  return at < deadline ? at : undefined;
};
