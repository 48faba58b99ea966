import { z } from 'zod';
import { Quirks } from './quirks.js';

const dollars = z.number().nonnegative();

/** What a model's tokens cost, in US dollars per million. */
export const ModelPrice = z.strictObject({ input: dollars, cachedInput: dollars, output: dollars });
export type ModelPrice = z.infer<typeof ModelPrice>;

/** What is known of a model; what is left out is not known. */
export const ModelFacts = z.strictObject({
  /** Context window: tokens in and out together. */
  window: z.number().int().positive().optional(),
  price: ModelPrice.optional(),
  quirks: Quirks.partial().optional(),
});
export type ModelFacts = z.infer<typeof ModelFacts>;

const openai = (window: number, input: number, cachedInput: number, output: number): ModelFacts => ({
  window,
  price: { input, cachedInput, output },
});

/** Models that Parley knows by itself: windows and list prices as their maker published them in 2025. */
const KNOWN: Readonly<Record<string, ModelFacts>> = {
  'gpt-4o': openai(128_000, 2.5, 1.25, 10),
  'gpt-4o-mini': openai(128_000, 0.15, 0.075, 0.6),
  'gpt-4.1': openai(1_047_576, 2, 0.5, 8),
  'gpt-4.1-mini': openai(1_047_576, 0.4, 0.1, 1.6),
  'gpt-4.1-nano': openai(1_047_576, 0.1, 0.025, 0.4),
  'gpt-5': openai(400_000, 1.25, 0.125, 10),
  'gpt-5-mini': openai(400_000, 0.25, 0.025, 2),
  'gpt-5-nano': openai(400_000, 0.05, 0.005, 0.4),
  o3: openai(200_000, 2, 0.5, 8),
  'o4-mini': openai(200_000, 1.1, 0.275, 4.4),
};

/** `-2024-08-06`, `-20240806`, `-0613` */
const DATE = /-\d{4}(?:-?\d{2}-?\d{2})?$/;

/**
 * What is known of a provider's model: what the operator says of it (by its name, else by the longest `prefix*` that it
 * begins with) over what Parley knows of a model of that name, with or without a date at its end.
 */
export const factsOf = (model: string, own: Readonly<Record<string, ModelFacts>> = {}): ModelFacts => ({
  ...(entry(KNOWN, model) ?? entry(KNOWN, model.replace(DATE, ''))),
  ...(entry(own, model) ?? longestPrefix(own, model)),
});

const entry = (facts: Readonly<Record<string, ModelFacts>>, name: string): ModelFacts | undefined =>
  Object.hasOwn(facts, name) ? facts[name] : undefined;

const longestPrefix = (facts: Readonly<Record<string, ModelFacts>>, model: string): ModelFacts | undefined =>
  Object.entries(facts)
    .filter(([pattern]) => pattern.endsWith('*') && model.startsWith(pattern.slice(0, -1)))
    .sort(([a], [b]) => b.length - a.length)[0]?.[1];
