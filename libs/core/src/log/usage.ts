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

/** Digits of a cost that mean something: what binary fractions leave behind them must not be rounded up. */
const DIGITS = 14;

/** What one model call cost, in whole millionths of a US dollar, rounded up; 0 where it is not known. */
export const costMicroUsdOf = ({ costUsd = 0 }: Usage): number =>
  Math.min(Math.ceil(Number((costUsd * 1_000_000).toPrecision(DIGITS))), Number.MAX_SAFE_INTEGER);
