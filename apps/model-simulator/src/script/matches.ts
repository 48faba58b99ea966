import { type CreateParams } from '../params/create-params.js';
import { type Message } from '../params/messages.js';
import { type Match, type TextMatch } from './script.js';

/** A request that was found valid, and its body as it came. */
export interface AskedCompletion {
  params: CreateParams;
  body: string;
}

/** Whether a request fulfils every condition of a rule. */
export function matches(match: Match, { params, body }: AskedCompletion): boolean {
  const last = params.messages.at(-1);
  return (
    (match.role === undefined || match.role === last?.role) &&
    (match.stream === undefined || match.stream === (params.stream === true)) &&
    (match.model === undefined || matchesText(match.model, params.model)) &&
    (match.text === undefined || matchesText(match.text, messageText(last))) &&
    (match.afterTool === undefined || matchesText(match.afterTool, answeredTool(params.messages))) &&
    (match.has === undefined || holds(body, match.has)) &&
    (match.lacks === undefined || !holds(body, match.lacks))
  );
}

export function matchesText(expected: TextMatch, text: string | undefined): boolean {
  if (text === undefined) return false;
  return typeof expected === 'string' ? expected === text : new RegExp(expected.regex, expected.flags).test(text);
}

/** The text of a message; undefined if it has none. */
export function messageText(message: Message | undefined): string | undefined {
  const content = message?.content;
  if (typeof content === 'string' || !content) return content ?? undefined;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The name of the tool whose result is the last message. */
function answeredTool(messages: readonly Message[]): string | undefined {
  const result = messages.at(-1);
  const asking = messages.findLast((message) => message.role === 'assistant');
  if (result?.role !== 'tool') return undefined;
  const call = asking?.tool_calls?.find(({ id }) => id === result.tool_call_id);
  return call?.type === 'custom' ? call.custom.name : call?.function.name;
}

function holds(body: string, path: string): boolean {
  return leadsTo(JSON.parse(body), path.replaceAll('[]', '.[]').split('.'));
}

function leadsTo(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return value !== undefined;
  if (typeof value !== 'object' || value === null) return false;
  if (key === '[]') return Array.isArray(value) && value.some((element) => leadsTo(element, rest));
  return Object.hasOwn(value, key) && leadsTo(Reflect.get(value, key), rest);
}
