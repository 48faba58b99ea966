import { z } from 'zod';

/** How a model call that failed for a passing reason is made again; waits are in milliseconds. */
export const Retry = z
  .object({
    enabled: z.boolean(),
    /** Attempts after the first one. */
    maxRetries: z.number().int().min(0).max(10),
    /** The wait before the second attempt, give or take a fifth. */
    initialBackoffMs: z.number().int().min(100).max(60_000),
    /** No backoff is longer; what a provider asks to wait may be. */
    maxBackoffMs: z.number().int().min(1_000).max(300_000),
    /** Each wait is so many times the one before it. */
    factor: z.number().min(1).max(10),
  })
  .refine(({ initialBackoffMs, maxBackoffMs }) => initialBackoffMs <= maxBackoffMs, {
    path: ['initialBackoffMs'],
    error: 'must not be over the longest backoff',
  });
export type Retry = z.infer<typeof Retry>;

/** What an agent gets that says nothing of its own. */
export const DEFAULT_RETRY: Retry = {
  enabled: true,
  maxRetries: 3,
  initialBackoffMs: 1_000,
  maxBackoffMs: 30_000,
  factor: 2,
};
