import { z } from 'zod';
import { Message } from './messages.js';
import { TextPart } from './content-parts.js';
import { JsonSchema, Tool, ToolChoice, ToolName } from './tools.js';

const ModerationMode = z.strictObject({ mode: z.enum(['score', 'block']) });

const ResponseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: ToolName,
      description: z.string().exactOptional(),
      schema: JsonSchema.exactOptional(),
      strict: z.boolean().nullable().exactOptional(),
    }),
  }),
]);

/** What shapes the answer: its length, its form, its randomness. */
const generation = {
  frequency_penalty: z.number().min(-2).max(2).nullable().exactOptional(),
  presence_penalty: z.number().min(-2).max(2).nullable().exactOptional(),
  temperature: z.number().min(0).max(2).nullable().exactOptional(),
  top_p: z.number().min(0).max(1).nullable().exactOptional(),
  seed: z.int().nullable().exactOptional(),
  n: z.int().min(1).max(128).nullable().exactOptional(),
  max_tokens: z.int().min(1).nullable().exactOptional(),
  max_completion_tokens: z.int().min(1).nullable().exactOptional(),
  stop: z
    .union([z.string(), z.array(z.string()).min(1).max(4)])
    .nullable()
    .exactOptional(),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullable().exactOptional(),
  logprobs: z.boolean().nullable().exactOptional(),
  top_logprobs: z.int().min(0).max(20).nullable().exactOptional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullable().exactOptional(),
  verbosity: z.enum(['low', 'medium', 'high']).nullable().exactOptional(),
  response_format: ResponseFormat.exactOptional(),
  prediction: z
    .strictObject({ type: z.literal('content'), content: z.union([z.string(), z.array(TextPart).min(1)]) })
    .nullable()
    .exactOptional(),
};

const tooling = {
  tools: z.array(Tool).min(1).max(128).exactOptional(),
  tool_choice: ToolChoice.exactOptional(),
  parallel_tool_calls: z.boolean().exactOptional(),
  functions: z
    .array(
      z.strictObject({
        name: ToolName,
        description: z.string().exactOptional(),
        parameters: JsonSchema.exactOptional(),
      }),
    )
    .min(1)
    .max(128)
    .exactOptional(),
  function_call: z.union([z.enum(['none', 'auto']), z.strictObject({ name: ToolName })]).exactOptional(),
  web_search_options: z
    .strictObject({
      search_context_size: z.enum(['low', 'medium', 'high']).exactOptional(),
      user_location: z
        .strictObject({
          type: z.literal('approximate'),
          approximate: z.strictObject({
            city: z.string().exactOptional(),
            country: z.string().exactOptional(),
            region: z.string().exactOptional(),
            timezone: z.string().exactOptional(),
          }),
        })
        .nullable()
        .exactOptional(),
    })
    .exactOptional(),
};

const audio = {
  modalities: z
    .array(z.enum(['text', 'audio']))
    .min(1)
    .nullable()
    .exactOptional(),
  audio: z
    .strictObject({
      format: z.enum(['wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16']),
      voice: z.union([z.string(), z.strictObject({ id: z.string() })]),
    })
    .nullable()
    .exactOptional(),
};

/** How the provider treats the request: streaming, storage, caching, moderation, billing. */
const handling = {
  stream: z.boolean().nullable().exactOptional(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().exactOptional(), include_obfuscation: z.boolean().exactOptional() })
    .nullable()
    .exactOptional(),
  store: z.boolean().nullable().exactOptional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullable().exactOptional(),
  user: z.string().exactOptional(),
  safety_identifier: z.string().max(64).nullable().exactOptional(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullable().exactOptional(),
  prompt_cache_key: z.string().nullable().exactOptional(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullable().exactOptional(),
  prompt_cache_options: z
    .strictObject({
      mode: z.enum(['implicit', 'explicit']).exactOptional(),
      ttl: z.literal('30m').exactOptional(),
    })
    .exactOptional(),
  moderation: z
    .strictObject({
      model: z.string(),
      policy: z
        .strictObject({
          input: ModerationMode.nullable().exactOptional(),
          output: ModerationMode.nullable().exactOptional(),
        })
        .nullable()
        .exactOptional(),
    })
    .nullable()
    .exactOptional(),
};

/**
 * The body of `POST /v1/chat/completions`, exactly as `openai` 6.49.0 types it (`ChatCompletionCreateParams`; held by
 * `sdk-drift.ts`), with the ranges that OpenAI documents. Unknown keys are refused at every level.
 */
export const CreateParams = z.strictObject({
  messages: z.array(Message).min(1),
  model: z.string().min(1),
  ...generation,
  ...tooling,
  ...audio,
  ...handling,
});
export type CreateParams = z.infer<typeof CreateParams>;
