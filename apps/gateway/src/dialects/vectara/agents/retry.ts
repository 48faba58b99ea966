import { DEFAULT_RETRY, Retry } from '@parley/core';
import { z } from 'zod';

const { enabled, maxRetries, initialBackoffMs, maxBackoffMs, factor } = Retry.shape;

const Given = z.strictObject({
  enabled: enabled.optional(),
  max_retries: maxRetries.optional(),
  initial_backoff_ms: initialBackoffMs.optional(),
  max_backoff_ms: maxBackoffMs.optional(),
  backoff_factor: factor.optional(),
});

/** How failed model calls are made again; a field that is left out is at its default. */
export const RetryConfiguration = Given.refine((given) => isOrdered(toRetry(given)), {
  path: ['initial_backoff_ms'],
  error: 'must not be over max_backoff_ms',
});
export type RetryConfiguration = z.infer<typeof Given>;

export const toRetry = (given: RetryConfiguration): Retry => ({
  enabled: given.enabled ?? DEFAULT_RETRY.enabled,
  maxRetries: given.max_retries ?? DEFAULT_RETRY.maxRetries,
  initialBackoffMs: given.initial_backoff_ms ?? DEFAULT_RETRY.initialBackoffMs,
  maxBackoffMs: given.max_backoff_ms ?? DEFAULT_RETRY.maxBackoffMs,
  factor: given.backoff_factor ?? DEFAULT_RETRY.factor,
});

export const toRetryConfiguration = (retry: Retry): RetryConfiguration => ({
  enabled: retry.enabled,
  max_retries: retry.maxRetries,
  initial_backoff_ms: retry.initialBackoffMs,
  max_backoff_ms: retry.maxBackoffMs,
  backoff_factor: retry.factor,
});

const isOrdered = ({ initialBackoffMs, maxBackoffMs }: Retry): boolean => initialBackoffMs <= maxBackoffMs;
