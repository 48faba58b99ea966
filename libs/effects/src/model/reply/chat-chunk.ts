import { ModelFault } from '../model-failure.js';
import { foreignForm } from './foreign-form.js';

/** A JSON object that nobody has checked: providers differ in all of its fields. */
export type Loose = Readonly<Record<string, unknown>>;

/** One event of a streamed answer, or a whole answer: what both have in common. */
export interface ChatChunk {
  /** The model that answers; empty where the provider does not say. */
  model: string;
  /** What the first choice adds. */
  delta: Loose | undefined;
  /** What the first choice says in one piece; behind pieces some providers say all of them again in it. */
  message: Loose | undefined;
  finish: string | undefined;
  /** What it says of its tokens' probabilities. */
  logprobs: unknown;
  usage: unknown;
  /** What went wrong, where the provider says so instead of answering. */
  error: unknown;
}

/**
 * Reads one event. Only choice 0 counts; a choice without index is choice 0. Undefined: no object and no piece of one, as
 * `ping`, `null` or `""`, which some proxies send while they wait.
 * @throws ModelFault `bad_response` for what is a broken object, or several; `not_found` for what is of another API.
 */
export const parseChatChunk = (data: string): ChatChunk | undefined => {
  const chunk = parseObject(data);
  if (!chunk) return undefined;
  const form = foreignForm(chunk);
  if (form !== undefined)
    throw new ModelFault('not_found', `the answer is one of ${form}, not of chat completions: mend the baseUrl`);
  const choices = Array.isArray(chunk.choices) ? chunk.choices.map(loose) : [];
  const choice = choices.find((one) => one && Number(one.index ?? 0) === 0);
  return {
    model: text(chunk.model),
    delta: choice && deltaOf(choice),
    message: loose(choice?.message),
    finish: (choice && text(choice.finish_reason)) || undefined,
    logprobs: choice?.logprobs,
    usage:
      chunk.usage ??
      choice?.usage ??
      loose(chunk.x_groq)?.usage ??
      (chunk.eval_count === undefined ? undefined : chunk),
    error: chunk.error || choice?.error || (isComplaint(chunk) ? chunk : undefined),
  };
};

/** The completions of old have `text` for it. */
const deltaOf = ({ delta, text: said }: Loose): Loose | undefined => {
  const given = loose(delta);
  return typeof said === 'string' && said !== '' && !given?.content ? { ...given, content: said } : given;
};

/** An error without its usual frame, as vLLM, gateways and MiniMax send it: words for what is wrong, most without choices. */
const isComplaint = ({ object, type, choices, message, msg, detail, errors, base_resp }: Loose): boolean =>
  object === 'error' ||
  type === 'error' ||
  Boolean(Number(loose(base_resp)?.status_code ?? 0)) ||
  (!Array.isArray(choices) && Boolean(message || msg || detail || errors));

/** The value if it is an object and no array. */
export const loose = (value: unknown): Loose | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : undefined;

/** The value if it is text, else the empty text. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const parseObject = (data: string): Loose | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    if (!/[{}]/.test(data)) return undefined;
    throw new ModelFault('bad_response', `the answer holds an event that is not JSON: ${data.slice(0, 200)}`);
  }
  if (!Array.isArray(value)) return loose(value);
  const objects = value.map(loose).filter((one) => one !== undefined);
  if (objects.length > 1)
    throw new ModelFault('bad_response', `the answer holds an event that is a list: ${data.slice(0, 200)}`);
  return objects[0];
};
