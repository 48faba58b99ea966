import { type Usage } from '@parley/core';
import { type ModelPrice } from '../provider/model-facts.js';
import { loose } from './chat-chunk.js';

/** A rough average over languages and tokenizers. */
const BYTES_PER_TOKEN = 4;

/** What an image that is shown to a model counts as text of: 765 tokens, as OpenAI has for 1024 × 1024 pixels. */
export const SHOWN_IMAGE_BYTES = 765 * BYTES_PER_TOKEN;
/** What an image that a model makes counts as text of: 1,290 tokens, as Gemini has for one. */
export const MADE_IMAGE_BYTES = 1_290 * BYTES_PER_TOKEN;

/**
 * What a provider reports, if it is usable: numbers for what went in and out, not all zero. Some use the names of the
 * Responses API for it, or Ollama's.
 */
export const reportedUsage = (reported: unknown): Usage | undefined => {
  const usage = loose(reported);
  const input = count(usage?.prompt_tokens ?? usage?.input_tokens ?? usage?.prompt_eval_count);
  const output = count(usage?.completion_tokens ?? usage?.output_tokens ?? usage?.eval_count);
  if (!usage || input === undefined || output === undefined || input + output === 0) return undefined;
  const inputDetails = loose(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const outputDetails = loose(usage.completion_tokens_details ?? usage.output_tokens_details);
  const cached = inputDetails?.cached_tokens ?? usage.prompt_cache_hit_tokens;
  const reasoning = outputDetails?.reasoning_tokens;
  return { input, output, cachedInput: count(cached) ?? 0, reasoning: count(reasoning) ?? 0, estimated: false };
};

/** What a provider reports of texts that it made vectors of; estimated by their size where it does not. */
export const embeddingUsage = (reported: unknown, bytes: number): Usage => {
  const usage = loose(reported);
  const input = count(usage?.prompt_tokens) || count(usage?.total_tokens);
  if (!input) return estimatedUsage({ input: bytes, output: 0, reasoning: 0 });
  return { input, cachedInput: 0, output: 0, reasoning: 0, estimated: false };
};

/** What a call cost by its sizes in bytes, for a provider that does not say. */
export const estimatedUsage = (bytes: { input: number; output: number; reasoning: number }): Usage => ({
  input: tokens(bytes.input),
  cachedInput: 0,
  output: tokens(bytes.output + bytes.reasoning),
  reasoning: tokens(bytes.reasoning),
  estimated: true,
});

/** With what it cost, in US dollars; without, where the price is not known. */
export const priced = (usage: Usage, price: ModelPrice | undefined): Usage => {
  if (!price) return usage;
  const cached = Math.min(usage.cachedInput, usage.input);
  const costUsd =
    ((usage.input - cached) * price.input + cached * price.cachedInput + usage.output * price.output) / 1_000_000;
  return { ...usage, costUsd };
};

/** Two calls of one model together. */
export const sumOf = (one: Usage, other: Usage): Usage => ({
  input: one.input + other.input,
  cachedInput: one.cachedInput + other.cachedInput,
  output: one.output + other.output,
  reasoning: one.reasoning + other.reasoning,
  estimated: one.estimated || other.estimated,
  ...(one.costUsd !== undefined && other.costUsd !== undefined && { costUsd: one.costUsd + other.costUsd }),
});

const tokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : undefined;
