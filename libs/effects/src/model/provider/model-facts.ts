import { z } from 'zod';
import { Quirks } from './quirks.js';

const dollars = z.number().nonnegative();

/** What a model's tokens cost, in US dollars per million. */
export const ModelPrice = z.strictObject({ input: dollars, cachedInput: dollars, output: dollars });
export type ModelPrice = z.infer<typeof ModelPrice>;

/** What a model can do, each where it is known. */
export const ModelCapabilities = z
  .strictObject({
    /** Takes images. */
    vision: z.boolean(),
    /** Calls tools. */
    tools: z.boolean(),
    /** Thinks before it answers. */
    reasoning: z.boolean(),
    /** Answers in a JSON schema that it is given. */
    structuredOutput: z.boolean(),
  })
  .partial();
export type ModelCapabilities = z.infer<typeof ModelCapabilities>;

/** What is known of a model; what is left out is not known. */
export const ModelFacts = z.strictObject({
  /** Context window: tokens in and out together. */
  window: z.number().int().positive().optional(),
  /** Tokens that one answer may have, reasoning and all. */
  maxOutput: z.number().int().positive().optional(),
  /** How long the vectors are that it makes of texts; only of a model that makes them. */
  dimensions: z.number().int().positive().optional(),
  price: ModelPrice.optional(),
  capabilities: ModelCapabilities.optional(),
  quirks: Quirks.partial().optional(),
});
export type ModelFacts = z.infer<typeof ModelFacts>;

type Tokens = Required<Pick<ModelFacts, 'window' | 'maxOutput'>>;

const GPT_4O: Tokens = { window: 128_000, maxOutput: 16_384 };
const GPT_4_1: Tokens = { window: 1_047_576, maxOutput: 32_768 };
const GPT_5: Tokens = { window: 400_000, maxOutput: 128_000 };
const O_SERIES: Tokens = { window: 200_000, maxOutput: 100_000 };
const CHATS: ModelCapabilities = { vision: true, tools: true, reasoning: false, structuredOutput: true };
const REASONS: ModelCapabilities = { ...CHATS, reasoning: true };

const costing = (input: number, cachedInput: number, output: number): { price: ModelPrice } => ({
  price: { input, cachedInput, output },
});

/** A model that makes vectors of texts: it says nothing, so nothing that it says costs. */
const embedding = (dimensions: number, input: number): ModelFacts => ({
  window: 8_192,
  dimensions,
  ...costing(input, input, 0),
});

/**
 * Models that Parley knows by itself, as platform.openai.com/docs/models and /docs/pricing (list prices, standard tier)
 * told of them in 2025.
 */
const KNOWN: Readonly<Record<string, ModelFacts>> = {
  'gpt-4o': { ...GPT_4O, ...costing(2.5, 1.25, 10), capabilities: CHATS },
  // The first of its name: dearer, with shorter answers, nothing cached and no schemas.
  'gpt-4o-2024-05-13': {
    window: 128_000,
    maxOutput: 4_096,
    ...costing(5, 5, 15),
    capabilities: { ...CHATS, structuredOutput: false },
  },
  'gpt-4o-mini': { ...GPT_4O, ...costing(0.15, 0.075, 0.6), capabilities: CHATS },
  'gpt-4.1': { ...GPT_4_1, ...costing(2, 0.5, 8), capabilities: CHATS },
  'gpt-4.1-mini': { ...GPT_4_1, ...costing(0.4, 0.1, 1.6), capabilities: CHATS },
  'gpt-4.1-nano': { ...GPT_4_1, ...costing(0.1, 0.025, 0.4), capabilities: CHATS },
  'gpt-5': { ...GPT_5, ...costing(1.25, 0.125, 10), capabilities: REASONS },
  'gpt-5-mini': { ...GPT_5, ...costing(0.25, 0.025, 2), capabilities: REASONS },
  'gpt-5-nano': { ...GPT_5, ...costing(0.05, 0.005, 0.4), capabilities: REASONS },
  o3: { ...O_SERIES, ...costing(2, 0.5, 8), capabilities: REASONS },
  'o4-mini': { ...O_SERIES, ...costing(1.1, 0.275, 4.4), capabilities: REASONS },
  'text-embedding-3-small': embedding(1_536, 0.02),
  'text-embedding-3-large': embedding(3_072, 0.13),
  'text-embedding-ada-002': embedding(1_536, 0.1),
};

/** `-2024-08-06`, `-20240806`, `-0613` */
const DATE = /-\d{4}(?:-?\d{2}-?\d{2})?$/;

/**
 * What is known of a provider's model: what the operator says of it (by its name, else by the longest `prefix*` that it
 * begins with) over what Parley knows of a model of that name, with or without a date at its end. Capabilities are
 * weighed one by one, all else as a whole.
 */
export const factsOf = (model: string, own: Readonly<Record<string, ModelFacts>> = {}): ModelFacts => {
  const known = entry(KNOWN, model) ?? entry(KNOWN, model.replace(DATE, ''));
  const said = entry(own, model) ?? longestPrefix(own, model);
  const capabilities = { ...known?.capabilities, ...said?.capabilities };
  return { ...known, ...said, ...(Object.keys(capabilities).length > 0 && { capabilities }) };
};

const entry = (facts: Readonly<Record<string, ModelFacts>>, name: string): ModelFacts | undefined =>
  Object.hasOwn(facts, name) ? facts[name] : undefined;

const longestPrefix = (facts: Readonly<Record<string, ModelFacts>>, model: string): ModelFacts | undefined =>
  Object.entries(facts)
    .filter(([pattern]) => pattern.endsWith('*') && model.startsWith(pattern.slice(0, -1)))
    .sort(([a], [b]) => b.length - a.length)[0]?.[1];
