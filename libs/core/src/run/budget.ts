import { z } from 'zod';

const limit = z.number().int().positive();

/** What a run may use up; carried by the run, checked before each model call. */
export const Budget = z.object({
  /** Model calls that were answered. */
  rounds: limit,
  /** Tokens in and out, over all rounds; absent: no limit. */
  tokens: limit.optional(),
  /**
   * Millionths of a US dollar (1_000_000: one dollar), by the operator's prices, those of failed attempts too; absent: no
   * limit. What a call will cost is known when it is over, so the last one may go beyond it.
   */
  costMicroUsd: limit.optional(),
  /** Milliseconds from the first claim to the end. */
  wallMs: limit,
});
export type Budget = z.infer<typeof Budget>;

/** What a run gets whose agent says nothing of its own: 50 rounds, one hour. */
export const DEFAULT_BUDGET: Budget = { rounds: 50, wallMs: 3_600_000 };
