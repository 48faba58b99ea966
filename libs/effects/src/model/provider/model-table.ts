import { z } from 'zod';

const dollars = z.number().nonnegative();

/** What a model's tokens cost, in US dollars per million. */
export const ModelPrice = z.strictObject({ input: dollars, cachedInput: dollars, output: dollars });
export type ModelPrice = z.infer<typeof ModelPrice>;

/** What Parley knows about a model. */
export const ModelFacts = z.strictObject({
  /** Context window: tokens in and out together. */
  window: z.number().int().positive(),
  price: ModelPrice.optional(),
});
export type ModelFacts = z.infer<typeof ModelFacts>;

const openai = (window: number, input: number, cachedInput: number, output: number): ModelFacts => ({
  window,
  price: { input, cachedInput, output },
});

/** Models that Parley knows by itself: windows and list prices as their maker publishes them. */
const KNOWN: Record<string, ModelFacts> = {
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

/** What is known about models: the built-in list under what the operator adds or overrules. */
export class ModelTable {
  readonly #facts: Map<string, ModelFacts>;

  /** `own`: by `provider/model`, or by the model's name alone for every provider. */
  constructor(own: Record<string, ModelFacts> = {}) {
    this.#facts = new Map(Object.entries({ ...KNOWN, ...own }));
  }

  /** The most exact entry: `provider/model`, then the model, then the same without a date at the end of its name. */
  find({ provider, model }: { provider: string; model: string }): ModelFacts | undefined {
    for (const name of [model, model.replace(DATE, '')]) {
      const found = this.#facts.get(`${provider}/${name}`) ?? this.#facts.get(name);
      if (found) return found;
    }
    return undefined;
  }
}
