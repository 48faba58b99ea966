import {
  type CallId,
  type CallOutcome,
  type CallPart,
  type FaultyAnswer,
  type InputPart,
  type OutputFormat,
  type Part,
  type ReplyPart,
  truncated,
  wellFormed,
} from '@parley/core';
import {
  type ChatCompletionContentPart,
  type ChatCompletionCreateParamsStreaming,
  type ChatCompletionMessageFunctionToolCall,
  type ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { type ModelRequest } from '../model-outcome.js';
import { type ModelTarget } from '../provider/providers.js';
import { type Quirks } from '../provider/quirks.js';
import { addressOf, isShownImage } from './shown-images.js';
import { type ToolMessage, type Turn, turnsOf } from './turn.js';

/** What the model is told of a call that did not simply give a result. */
const TOLD: Record<CallOutcome | 'missing', string> = {
  result: '',
  error: 'Error',
  denied: 'Denied',
  cancelled: 'Cancelled',
  unknown_outcome: 'Outcome unknown',
  missing: 'The result of this call is not available.',
};

/**
 * The request body for a conversation. Its messages keep the API's rules whatever the history holds: every call of a
 * reply is answered exactly once right behind it, no result stands alone, no message is empty, all text is well-formed.
 * Erased text is left out.
 */
export const toChatRequest = (
  { model, quirks }: Pick<ModelTarget, 'model' | 'quirks'>,
  request: Pick<ModelRequest, 'instructions' | 'messages' | 'parameters' | 'output' | 'repair'>,
): ChatCompletionCreateParamsStreaming => {
  const { messages, parameters, output, repair } = request;
  const instructions = [request.instructions, ...demanded(output, quirks)].filter((text) => text !== '').join('\n\n');
  const system: ChatCompletionMessageParam[] =
    instructions === '' ? [] : [{ role: quirks.systemRole, content: wellFormed(instructions) }];
  const { max_completion_tokens, ...others } = parameters;
  return {
    ...given(others),
    ...given({ [quirks.maxTokensField]: max_completion_tokens }),
    model,
    messages: [...system, ...turnsOf(messages).flatMap((turn) => toMessages(turn, quirks)), ...mending(repair, quirks)],
    ...responseFormat(output, quirks),
    stream: true,
    ...(quirks.streamOptions && { stream_options: { include_usage: true } }),
  };
};

/** The answer that has to be mended, as the model gave it, and what was wrong with it. */
const mending = (repair: FaultyAnswer | undefined, quirks: Quirks): ChatCompletionMessageParam[] => {
  if (!repair) return [];
  const answer: Turn = { message: { role: 'assistant', parts: repair.parts ?? [] }, results: new Map() };
  return [...toMessages(answer, quirks), { role: 'user', content: wellFormed(`${REPAIR} ${repair.message}`) }];
};

const REPAIR =
  'That answer was not of the form that was asked for. Answer again, with all of it mended, by valid JSON alone. ' +
  'What was wrong with it, each place as a JSON pointer:';

/** What the instructions have to say of an answer's form where the provider does not hold the model to it. */
const demanded = (output: OutputFormat | undefined, { structuredOutput }: Quirks): string[] =>
  !output || structuredOutput === 'json_schema'
    ? []
    : [`Answer with JSON alone, valid by this JSON Schema: ${JSON.stringify(output.schema)}`];

const responseFormat = (
  output: OutputFormat | undefined,
  { structuredOutput }: Quirks,
): Pick<ChatCompletionCreateParamsStreaming, 'response_format'> => {
  if (!output || structuredOutput === 'instructions') return {};
  if (structuredOutput === 'json_object') return { response_format: { type: 'json_object' } };
  return { response_format: { type: 'json_schema', json_schema: given(output) } };
};

/** The id of a call as providers take it: at most 40 of letters, digits and `_`; ours with its dashes is 36. */
export const wireCallId = (call: CallId): string => `call_${call.replaceAll('-', '')}`;

const toMessages = ({ message, results }: Turn, quirks: Quirks): ChatCompletionMessageParam[] => {
  if (message.role === 'user') {
    const content = userContent(message.parts);
    return content.length === 0 ? [] : [{ role: 'user', content }];
  }
  const content = textOf(message.parts.map(asSaid), 'text', '');
  const calls = message.parts.filter((part) => part.type === 'call');
  if (calls.length === 0)
    return content === '' ? [] : [{ role: 'assistant', content, ...thought(message.parts, quirks) }];
  return [
    {
      role: 'assistant',
      content: content === '' && quirks.emptyContent === 'null' ? null : content,
      ...thought(message.parts, quirks),
      tool_calls: calls.map((call) => toToolCall(call, quirks)),
    },
    ...calls.map((call): ChatCompletionMessageParam => ({
      role: 'tool',
      tool_call_id: wireCallId(call.id),
      content: told(results.get(call.id)),
    })),
  ];
};

/** Words alone are plain text, which every provider takes; beside an image each part is one. */
const userContent = (parts: readonly InputPart[]): string | ChatCompletionContentPart[] => {
  if (!parts.some(isShownImage)) return textOf(parts, 'text', '\n\n');
  return parts.flatMap((part): ChatCompletionContentPart[] => {
    if (part.type === 'text') return part.text ? [{ type: 'text', text: wellFormed(part.text) }] : [];
    return part.source ? [{ type: 'image_url', image_url: { url: addressOf(part.source) } }] : [];
  });
};

/** What a model said can be words alone in this API; an image that it made is told to it as having been there. */
const asSaid = (part: ReplyPart): ReplyPart =>
  part.type === 'image' && part.source ? { type: 'text', text: '[image]', origin: 'model' } : part;

/** What the model thought before, in the field in which this one wants it back. */
const thought = (parts: readonly Part[], { echoReasoning: field }: Quirks): Partial<Record<string, string>> => {
  const reasoning = field === null ? '' : textOf(parts, 'reasoning', '');
  return field === null || reasoning === '' ? {} : { [field]: reasoning };
};

/** Names and arguments are echoed as providers take them: a name outside their alphabet would refuse every later turn. */
const toToolCall = (call: CallPart, { nameLength }: Quirks): ChatCompletionMessageFunctionToolCall => ({
  id: wireCallId(call.id),
  type: 'function',
  function: {
    name: truncated(call.name.replace(/[^\w-]/g, '_'), nameLength) || '_',
    arguments: wellFormed(call.arguments ?? '') || '{}',
  },
});

const told = (result: ToolMessage | undefined): string => {
  if (!result) return TOLD.missing;
  const text = textOf(result.parts, 'text', '\n\n');
  return [TOLD[result.outcome], text].filter((piece) => piece !== '').join(': ');
};

const textOf = (parts: readonly Part[], type: 'text' | 'reasoning', separator: string): string =>
  parts.flatMap((part) => (part.type === type && part.text ? [wellFormed(part.text)] : [])).join(separator);

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The properties that have a value. */
const given = <T extends object>(values: T): Given<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
