import { type CallId, type CallOutcome, type CallPart, type Part, truncated, wellFormed } from '@parley/core';
import {
  type ChatCompletionCreateParamsStreaming,
  type ChatCompletionMessageFunctionToolCall,
  type ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { type ModelRequest } from '../model-outcome.js';
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
 * Erased text is left out; reasoning is not sent back.
 */
export const toChatRequest = (
  model: string,
  { instructions, messages, parameters }: Pick<ModelRequest, 'instructions' | 'messages' | 'parameters'>,
): ChatCompletionCreateParamsStreaming => {
  const system: ChatCompletionMessageParam[] =
    instructions === '' ? [] : [{ role: 'system', content: wellFormed(instructions) }];
  return {
    ...given(parameters),
    model,
    messages: [...system, ...turnsOf(messages).flatMap(toMessages)],
    stream: true,
    stream_options: { include_usage: true },
  };
};

/** The id of a call as providers take it: at most 40 of letters, digits and `_`; ours with its dashes is 36. */
export const wireCallId = (call: CallId): string => `call_${call.replaceAll('-', '')}`;

const toMessages = ({ message, results }: Turn): ChatCompletionMessageParam[] => {
  if (message.role === 'user') {
    const content = textOf(message.parts, '\n\n');
    return content === '' ? [] : [{ role: 'user', content }];
  }
  const content = textOf(message.parts, '');
  const calls = message.parts.filter((part) => part.type === 'call');
  if (calls.length === 0) return content === '' ? [] : [{ role: 'assistant', content }];
  return [
    { role: 'assistant', content: content === '' ? null : content, tool_calls: calls.map(toToolCall) },
    ...calls.map((call): ChatCompletionMessageParam => ({
      role: 'tool',
      tool_call_id: wireCallId(call.id),
      content: told(results.get(call.id)),
    })),
  ];
};

/** Names and arguments are echoed as providers take them: a name outside their alphabet would refuse every later turn. */
const toToolCall = (call: CallPart): ChatCompletionMessageFunctionToolCall => ({
  id: wireCallId(call.id),
  type: 'function',
  function: {
    name: truncated(call.name.replace(/[^\w-]/g, '_'), 64) || '_',
    arguments: wellFormed(call.arguments ?? '') || '{}',
  },
});

const told = (result: ToolMessage | undefined): string => {
  if (!result) return TOLD.missing;
  const text = textOf(result.parts, '\n\n');
  return [TOLD[result.outcome], text].filter((piece) => piece !== '').join(': ');
};

const textOf = (parts: readonly Part[], separator: string): string =>
  parts.flatMap((part) => (part.type === 'text' && part.text ? [wellFormed(part.text)] : [])).join(separator);

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The properties that have a value. */
const given = <T extends object>(values: T): Given<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
