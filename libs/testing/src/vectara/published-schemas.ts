/** A JSON schema, as far as it is written here. */
export type JsonSchema = boolean | { [keyword: string]: unknown };

type Fields = Record<string, JsonSchema>;

/** An object of exactly these fields. */
const object = (required: Fields, optional: Fields = {}): JsonSchema => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
});

const text: JsonSchema = { type: 'string' };
const flag: JsonSchema = { type: 'boolean' };
const whole: JsonSchema = { type: 'integer' };
const moment: JsonSchema = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$',
};
const anything: JsonSchema = { type: 'object' };
const key: JsonSchema = { type: 'string', pattern: '[0-9a-zA-Z_-]+$', minLength: 1, maxLength: 50 };
const name: JsonSchema = { type: 'string', minLength: 1, maxLength: 50 };
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const is = (value: string): JsonSchema => ({ const: value });
const range = (minimum: number, maximum: number): JsonSchema => ({ type: 'integer', minimum, maximum });
const listOf = (plural: string, items: JsonSchema): JsonSchema =>
  object({ [plural]: list(items), metadata: object({}, { page_key: text }) });

const instruction = object(
  { type: is('inline'), name, template: text },
  { description: text, template_type: { enum: ['velocity', 'text'] }, metadata: anything, enabled: flag },
);

const stepFields: Fields = {
  reminders: list(anything),
  next_steps: list(anything),
  allowed_tools: list(text),
  allowed_skills: list(text),
  reentry_step: text,
};
const output_parser: JsonSchema = {
  anyOf: [
    object({ type: is('default') }),
    object({
      type: is('structured'),
      json_schema: object({ name: key, schema: anything }, { description: text, strict: flag }),
    }),
  ],
};
const step = object({ instructions: list(instruction), output_parser }, stepFields);
const firstStep = object({ name: text, instructions: list(instruction), output_parser }, stepFields);

const compaction = object(
  {},
  {
    enabled: flag,
    threshold_percent: range(50, 95),
    keep_recent_inputs: range(1, 1e9),
    compaction_message: text,
    tool_event_policy: { enum: ['exclude', 'include_outputs', 'include_all'] },
  },
);

const model = object(
  { name: text },
  {
    parameters: anything,
    retry_configuration: object(
      {},
      {
        enabled: flag,
        max_retries: range(0, 10),
        initial_backoff_ms: range(100, 60_000),
        max_backoff_ms: range(1_000, 300_000),
        backoff_factor: { type: 'number', minimum: 1, maximum: 10 },
      },
    ),
  },
);

const agent = object(
  { key, name, tool_configurations: anything, model, first_step: firstStep, enabled: flag },
  {
    description: text,
    skills: anything,
    first_step_name: text,
    steps: { type: 'object', additionalProperties: step },
    metadata: anything,
    compaction,
    tool_output_offloading: anything,
    session_enrichment: anything,
    created_at: moment,
    updated_at: moment,
  },
);

const usage = object(
  {},
  {
    input_tokens: object({}, { count: whole, cached_tokens: whole }),
    output_tokens: object({}, { count: whole, reasoning_tokens: whole }),
    total_tokens: whole,
    model_context_window: whole,
  },
);

const session = object(
  { key, name: text, agent_key: key, enabled: flag, created_at: moment },
  {
    description: text,
    metadata: anything,
    current_step_name: { type: ['string', 'null'] },
    status: { enum: ['unstarted', 'running', 'stopped'] },
    created_by_agent_key: key,
    created_by_session_key: key,
    tti_minutes: { type: 'integer', minimum: 0 },
    session_context_usage: usage,
    effective_compaction: compaction,
    alias_key: { type: ['string', 'null'] },
    secrets: { type: 'object', additionalProperties: text },
  },
);

const stored = (type: string, required: Fields = {}, optional: Fields = {}): JsonSchema => {
  const id: JsonSchema = { type: 'string', pattern: 'aev_[0-9a-zA-Z_-]+$' };
  return object({ id, session_key: key, created_at: moment, type: is(type), ...required }, optional);
};
const toolUse: Fields = { tool_call_id: text, tool_configuration_name: text, tool_name: text };

/** By `type`: the events of the published `AgentEvent` that this version has. */
const storedEvents: Record<string, JsonSchema> = {
  input_message: stored(
    'input_message',
    { messages: list(object({ type: is('text'), content: text })) },
    { message_diffs: list(text) },
  ),
  thinking: stored('thinking', {}, { content: text }),
  tool_input: stored('tool_input', { ...toolUse, tool_input: anything }, { argument_override_paths: list(text) }),
  tool_output: stored(
    'tool_output',
    { ...toolUse, tool_output: anything, error: flag },
    { resolved_argument_overrides: anything, output_wrapped: flag },
  ),
  agent_output: stored('agent_output', { content: text }),
  structured_output: stored('structured_output', { schema_name: text, content: {} }),
  session_interrupted: stored('session_interrupted'),
  error: stored('error', {}, { messages: list(text) }),
};

const passing = (type: string, required: Fields = {}, optional: Fields = {}): JsonSchema =>
  object({ type: is(type), ...required, created_at: moment }, optional);

/**
 * By `type`: what a stream may hold. Two are not in the published `AgentStreamedResponse`: `streaming_restarted`, which
 * is Parley's own, and `agent_output`, which follows it.
 */
const streamedEvents: Record<string, JsonSchema> = {
  ...storedEvents,
  streaming_agent_output: passing('streaming_agent_output', { content: text }),
  streaming_agent_output_end: passing('streaming_agent_output_end', {}, { event_id: text }),
  streaming_thinking: passing('streaming_thinking', { content: text }),
  streaming_thinking_end: passing('streaming_thinking_end'),
  streaming_restarted: passing('streaming_restarted'),
  context_consumed: passing('context_consumed', { session_context_usage: usage }),
  end: object({ type: is('end') }),
};

const anyOf = (schemas: Record<string, JsonSchema>): JsonSchema => ({ oneOf: Object.values(schemas) });
const messages: JsonSchema = { type: 'array', items: text, minItems: 1 };

/**
 * What the published document of the Vectara API (version 2.0) says of the answers that Parley gives, as facts: names,
 * types, what is required. Fields that it does not name are refused here, so that nothing is added by accident.
 */
export const PUBLISHED = {
  Agent: agent,
  ListAgentsResponse: listOf('agents', agent),
  AgentSession: session,
  ListAgentSessionsResponse: listOf('sessions', session),
  AgentEvent: anyOf(storedEvents),
  ListAgentEventsResponse: listOf('events', anyOf(storedEvents)),
  AgentResponse: object({ events: list(anyOf(storedEvents)), session_key: key }),
  AgentStreamedResponse: anyOf(streamedEvents),
  Error: object({ messages, request_id: text }),
  BadRequestError: object({ messages, request_id: text, field_errors: { type: 'object', additionalProperties: text } }),
  NotFoundError: object({ messages, request_id: text }, { id: text }),
} as const satisfies Record<string, JsonSchema>;

/** The name of a published schema. */
export type PublishedName = keyof typeof PUBLISHED;
