import { z } from 'zod';
import { AgentId } from '../ids.js';
import { JsonObject } from '../json.js';
import { Budget } from '../run/budget.js';
import { OutputFormat } from './output-format.js';
import { Retry } from './retry.js';

/** A key that a user may give to a noun; also safe in a path. */
export const Key = z.string().regex(/^[0-9A-Za-z_-]{1,50}$/, 'must be 1 to 50 of 0-9 A-Z a-z _ -');
export type Key = z.infer<typeof Key>;

/** Prompt text; it is sent as it stands. */
export const Instruction = z.object({ name: z.string(), template: z.string(), facet: JsonObject.optional() });
export type Instruction = z.infer<typeof Instruction>;

/** Which model an agent talks to, and how. */
export const ModelChoice = z.object({
  /** `provider/model`, or the name of a model of the default provider. */
  handle: z.string().min(1),
  /** Sampling settings, under the names of the Chat Completions API; only those that are listed are taken. */
  parameters: z
    .object({
      temperature: z.number().min(0).max(2),
      top_p: z.number().min(0).max(1),
      max_completion_tokens: z.number().int().positive(),
      presence_penalty: z.number().min(-2).max(2),
      frequency_penalty: z.number().min(-2).max(2),
      seed: z.number().int(),
      stop: z.union([z.string(), z.array(z.string()).max(4)]),
      reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']),
      /** Whether the log keeps how likely the model found each token of its answers. */
      logprobs: z.boolean(),
      /** How many of the likeliest tokens at each place it keeps as well. */
      top_logprobs: z.number().int().min(0).max(20),
    })
    .partial()
    .strict()
    .refine(({ logprobs, top_logprobs }) => top_logprobs === undefined || logprobs === true, {
      path: ['top_logprobs'],
      error: 'is taken only with logprobs: true',
    }),
  /** How calls that fail are made again; absent: `DEFAULT_RETRY`. */
  retry: Retry.optional(),
});
export type ModelChoice = z.infer<typeof ModelChoice>;

/** What an agent is: everything a run acts by. Immutable once it has a version number. */
export const AgentDefinition = z.object({
  name: z.string().min(1),
  description: z.string().nullable(),
  enabled: z.boolean(),
  model: ModelChoice,
  instructions: z.array(Instruction),
  budget: Budget,
  /** What its answers have to be; absent: text. */
  output: OutputFormat.optional(),
  /** The operator’s own data: kept and given back, without effect. */
  metadata: JsonObject,
  /** What only one dialect says, by dialect; validated by it, returned untouched, never read by the engine. */
  facets: z.record(z.string(), JsonObject),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

/** An agent at one of its versions. */
export const AgentVersion = z.object({
  agent: AgentId,
  key: Key,
  /** Counts from 1; every change makes the next one. */
  version: z.number().int().positive(),
  definition: AgentDefinition,
  /** When this version was made. */
  createdAt: z.coerce.date(),
});
export type AgentVersion = z.infer<typeof AgentVersion>;

/** An agent at its newest version. */
export const Agent = AgentVersion.extend({
  /** When the agent was made. */
  agentCreatedAt: z.coerce.date(),
});
export type Agent = z.infer<typeof Agent>;
