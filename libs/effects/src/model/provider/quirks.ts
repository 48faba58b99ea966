import { z } from 'zod';

/**
 * Where a provider or a model differs from what most of them take; each has a default, a provider's own and then a
 * model's go before it.
 */
export const Quirks = z.strictObject({
  /** What a reply that is nothing but calls has for its content when it is sent back. */
  emptyContent: z.enum(['null', 'empty']),
  /** The field in which a reply's reasoning is sent back; null: it is not. Some models demand it, others refuse it. */
  echoReasoning: z.enum(['reasoning_content', 'reasoning']).nullable(),
  /** Whether usage may be asked for. Where it may not, and none is told, it is estimated. */
  streamOptions: z.boolean(),
  /** Who says the instructions. */
  systemRole: z.enum(['system', 'developer', 'user']),
  /** The name of the token limit. */
  maxTokensField: z.enum(['max_completion_tokens', 'max_tokens']),
  /** How long the name of a tool may be. */
  nameLength: z.number().int().min(1).max(512),
  /** What holds an answer to a JSON Schema: the provider, by it or only to be JSON; or the instructions alone. */
  structuredOutput: z.enum(['json_schema', 'json_object', 'instructions']),
  /** Whole answers may come without a reason why they stop; then one that breaks off cleanly cannot be told from them. */
  finishOptional: z.boolean(),
  /** Answers begin inside of the thoughts, because the template of the prompt ends in `<think>`. */
  thinkOpen: z.boolean(),
});
export type Quirks = z.infer<typeof Quirks>;

/** What the API's own endpoint takes, and so most of the others. */
export const USUAL: Quirks = {
  emptyContent: 'null',
  echoReasoning: null,
  streamOptions: true,
  systemRole: 'system',
  maxTokensField: 'max_completion_tokens',
  nameLength: 64,
  structuredOutput: 'json_schema',
  finishOptional: false,
  thinkOpen: false,
};

/**
 * What a refusal says of a quirk that nobody configured: the quirks with which the same request may be taken; undefined:
 * it says nothing of the kind.
 */
export const quirksAfter = (quirks: Quirks, refusal: string): Quirks | undefined => {
  if (quirks.streamOptions && /stream_options|include_usage/i.test(refusal)) return { ...quirks, streamOptions: false };
  const { maxTokensField: field } = quirks;
  const other = field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (new RegExp(`\\b${field}\\b`).test(refusal)) return { ...quirks, maxTokensField: other };
  if (quirks.systemRole === 'developer' && /\bdeveloper\b/.test(refusal)) return { ...quirks, systemRole: 'system' };
  return undefined;
};
