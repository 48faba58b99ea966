import { z } from 'zod';

const count = z.number().int().nonnegative();

/** Tokens of one model call. */
export const Usage = z.object({
  input: count,
  cachedInput: count,
  output: count,
  reasoning: count,
  /** True when the provider said nothing and Parley counted itself. */
  estimated: z.boolean(),
  /** What they cost, in US dollars, by the operator's prices; absent: not known. */
  costUsd: z.number().nonnegative().optional(),
});
export type Usage = z.infer<typeof Usage>;
