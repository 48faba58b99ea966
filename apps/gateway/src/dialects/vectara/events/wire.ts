import { type Json, type JsonObject } from '@parley/core';
import { z } from 'zod';
import { Flag, Limit } from '../paging.js';
import { type ContextUsage } from '../sessions/wire.js';
import { notYet, onlyAt, unsupportedType } from '../unsupported.js';

/** `start`, or the id of an event of the session. */
const Since = z.string().regex(/^(start|aev_[0-9a-zA-Z_-]+)$/, "must be 'start' or the id of an event");

const base = {
  stream_response: z.boolean().default(false),
  surface_description: z
    .strictObject({ type: onlyAt('api').optional(), id: notYet.optional(), include: onlyAt(false).optional() })
    .optional(),
};

const InputMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), content: z.string() }),
  unsupportedType('skill'),
]);

/** Words for the agent. */
const InputMessageRequest = z.strictObject({
  ...base,
  type: z.literal('input_message'),
  messages: z.array(InputMessage).min(1),
  since: Since.optional(),
  behavior: z.enum(['steer', 'follow_up']).optional(),
  entry_step: notYet.optional(),
});

/** Body of POST …/events; without a type it is an `input_message`. */
export const CreateInputRequest = z.preprocess(
  (body) => (isUntyped(body) ? { ...body, type: 'input_message' } : body),
  z.discriminatedUnion('type', [
    InputMessageRequest,
    z.strictObject({ ...base, type: z.literal('interrupt') }),
    unsupportedType('compact'),
    unsupportedType('tool_output'),
  ]),
);
export type CreateInputRequest = z.infer<typeof CreateInputRequest>;
export type InputMessageRequest = z.infer<typeof InputMessageRequest>;

const isUntyped = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && !('type' in body);

/** Query of GET …/events, as a list. */
export const ListEventsQuery = z.strictObject({
  limit: Limit,
  page_key: z.string().optional(),
  include_hidden: Flag.default(false),
});
export type ListEventsQuery = z.infer<typeof ListEventsQuery>;

/** Query of GET …/events, as a stream. */
export const StreamEventsQuery = z.strictObject({ since: Since.optional() });

interface Stored {
  id: string;
  session_key: string;
  created_at: string;
}

interface ToolUse extends Stored {
  tool_call_id: string;
  tool_configuration_name: string;
  tool_name: string;
}

/** An event as it is listed and read. */
export type AgentEvent =
  | (Stored & { type: 'input_message'; messages: { type: 'text'; content: string }[] })
  | (Stored & { type: 'thinking'; content: string })
  | (Stored & { type: 'agent_output'; content: string })
  | (Stored & { type: 'structured_output'; schema_name: string; content: Json })
  | (ToolUse & { type: 'tool_input'; tool_input: JsonObject })
  | (ToolUse & { type: 'tool_output'; tool_output: JsonObject; error: boolean })
  | (Stored & { type: 'session_interrupted' })
  | (Stored & { type: 'error'; messages: string[] });

/** What is streamed and not stored. `streaming_restarted` is Parley's own: the text since the last `_end` is void. */
export type PassingEvent =
  | { type: 'streaming_agent_output'; content: string; created_at: string }
  | { type: 'streaming_agent_output_end'; event_id?: string; created_at: string }
  | { type: 'streaming_thinking'; content: string; created_at: string }
  | { type: 'streaming_thinking_end'; created_at: string }
  | { type: 'streaming_restarted'; created_at: string }
  | { type: 'context_consumed'; session_context_usage: ContextUsage; created_at: string }
  | { type: 'end' };

/** One frame of a stream. */
export type StreamedEvent = AgentEvent | PassingEvent;

/** What POST …/events answers when it does not stream. */
export interface AgentResponse {
  events: AgentEvent[];
  session_key: string;
}
