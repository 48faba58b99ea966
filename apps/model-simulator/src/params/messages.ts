import { z } from 'zod';
import { ContentPart, RefusalPart, TextPart } from './content-parts.js';
import { ToolName } from './tools.js';

/** The messages of a conversation, as `openai` 6.49.0 types them (`ChatCompletionMessageParam`). */

const ParticipantName = z.string().regex(/^[^\s<|\\/>]{1,64}$/);

/** OpenAI refuses a longer id with `string_above_max_length`. */
const ToolCallId = z.string().min(1).max(40);

const textOrParts = z.union([z.string(), z.array(TextPart).min(1)]);

const DeveloperMessage = z.strictObject({
  role: z.literal('developer'),
  content: textOrParts,
  name: ParticipantName.exactOptional(),
});

const SystemMessage = z.strictObject({
  role: z.literal('system'),
  content: textOrParts,
  name: ParticipantName.exactOptional(),
});

const UserMessage = z.strictObject({
  role: z.literal('user'),
  content: z.union([z.string(), z.array(ContentPart).min(1)]),
  name: ParticipantName.exactOptional(),
});

const ToolCall = z.discriminatedUnion('type', [
  z.strictObject({
    id: ToolCallId,
    type: z.literal('function'),
    function: z.strictObject({ name: ToolName, arguments: z.string() }),
  }),
  z.strictObject({
    id: ToolCallId,
    type: z.literal('custom'),
    custom: z.strictObject({ name: ToolName, input: z.string() }),
  }),
]);

const AssistantMessage = z.strictObject({
  role: z.literal('assistant'),
  content: z
    .union([z.string(), z.array(z.discriminatedUnion('type', [TextPart, RefusalPart])).min(1)])
    .nullable()
    .exactOptional(),
  refusal: z.string().nullable().exactOptional(),
  name: ParticipantName.exactOptional(),
  audio: z.strictObject({ id: z.string() }).nullable().exactOptional(),
  function_call: z.strictObject({ name: ToolName, arguments: z.string() }).nullable().exactOptional(),
  tool_calls: z.array(ToolCall).min(1).max(128).exactOptional(),
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

const ToolMessage = z.strictObject({
  role: z.literal('tool'),
  content: textOrParts,
  tool_call_id: ToolCallId,
});

const FunctionMessage = z.strictObject({
  role: z.literal('function'),
  content: z.string().nullable(),
  name: ToolName,
});

export const Message = z.discriminatedUnion('role', [
  DeveloperMessage,
  SystemMessage,
  UserMessage,
  AssistantMessage,
  ToolMessage,
  FunctionMessage,
]);
export type Message = z.infer<typeof Message>;
