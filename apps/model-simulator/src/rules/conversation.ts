import { invalidRequest } from '../http/api-error.js';
import { type AssistantMessage, type Message } from '../params/messages.js';

/**
 * The rules that OpenAI enforces between messages: each call of an assistant message is answered by exactly one tool
 * message before the next message that is not one, and no tool message answers anything else.
 */
export function checkConversation(messages: readonly Message[]): void {
  let group = noCalls;
  messages.forEach((message, index) => {
    if (message.role === 'tool') {
      answer(group, message.tool_call_id, index);
      return;
    }
    close(group);
    group = message.role === 'assistant' ? openGroup(message, index) : noCalls;
  });
  close(group);
}

/** The calls of one assistant message; `unanswered` shrinks as tool messages answer them. */
interface CallGroup {
  index: number;
  calls: ReadonlySet<string>;
  unanswered: Set<string>;
}

const noCalls: CallGroup = { index: -1, calls: new Set(), unanswered: new Set() };

function openGroup(message: AssistantMessage, index: number): CallGroup {
  const ids = message.tool_calls?.map((call) => call.id) ?? [];
  if (ids.length === 0 && !saysSomething(message)) {
    const param = `messages[${index}].content`;
    const expected = 'an assistant message holds content, a refusal, audio or tool calls';
    throw invalidRequest(param, `Invalid value for '${param}': ${expected}.`, 'invalid_value');
  }
  const again = ids.findIndex((id, position) => ids.indexOf(id) !== position);
  if (again >= 0) {
    const param = `messages[${index}].tool_calls[${again}].id`;
    throw invalidRequest(param, `Invalid '${param}': another call of this message has the same id.`, 'duplicate_value');
  }
  return { index, calls: new Set(ids), unanswered: new Set(ids) };
}

function saysSomething({ content, refusal, audio, function_call: functionCall }: AssistantMessage): boolean {
  return [content, refusal, audio, functionCall].some((part) => part !== undefined && part !== null);
}

function answer(group: CallGroup, id: string, index: number): void {
  if (group.unanswered.delete(id)) return;
  const param = `messages[${index}].tool_call_id`;
  throw invalidRequest(
    param,
    group.calls.has(id)
      ? `Invalid '${param}': the tool call '${id}' was already answered.`
      : `Invalid '${param}': a message with role 'tool' must answer a call in the 'tool_calls' of the message before it; '${id}' is none.`,
    'invalid_value',
  );
}

function close({ index, unanswered }: CallGroup): void {
  if (unanswered.size === 0) return;
  const param = `messages[${index}].tool_calls`;
  throw invalidRequest(
    param,
    `An assistant message with 'tool_calls' must be followed by tool messages that answer each 'tool_call_id'. Not answered: ${[...unanswered].join(', ')}.`,
    'invalid_value',
  );
}
