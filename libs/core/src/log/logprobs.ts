import { z } from 'zod';

/** A token and the natural logarithm of its probability; a provider's -9999 stands for: hardly any. */
const Weighed = z.tuple([z.string(), z.number()]);

/** A token as the model said it, its logarithm, and what the model weighed in its place, the likeliest first. */
export const TokenLogprob = z.tuple([z.string(), z.number(), z.array(Weighed)]);
export type TokenLogprob = z.infer<typeof TokenLogprob>;

/** How likely the model found what it said, in the order in which it said it, as far as the provider told. */
export const Logprobs = z.object({
  text: z.array(TokenLogprob),
  /** Of a refusal that was said in a field of its own. */
  refusal: z.array(TokenLogprob).optional(),
  /** There were more than the log keeps: only the beginning is here. */
  cut: z.boolean(),
});
export type Logprobs = z.infer<typeof Logprobs>;
