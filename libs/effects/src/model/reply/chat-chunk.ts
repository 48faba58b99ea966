import { ModelFault } from '../model-failure.js';

/** A JSON object that nobody has checked: providers differ in all of its fields. */
export type Loose = Readonly<Record<string, unknown>>;

/** One event of a streamed answer, or a whole answer: what both have in common. */
export interface ChatChunk {
  /** The model that answers; empty where the provider does not say. */
  model: string;
  /** What the first choice adds. */
  delta: Loose | undefined;
  finish: string | undefined;
  /** What it says of its tokens' probabilities. */
  logprobs: unknown;
  usage: unknown;
  /** What went wrong, where the provider says so instead of answering. */
  error: unknown;
}

/**
 * Reads one event. Only choice 0 counts; a choice without index is choice 0.
 * @throws ModelFault `bad_response` for what is not a JSON object.
 */
export const parseChatChunk = (data: string): ChatChunk => {
  const chunk = parseObject(data);
  const choices = Array.isArray(chunk.choices) ? chunk.choices.map(loose) : [];
  const choice = choices.find((one) => one && Number(one.index ?? 0) === 0);
  return {
    model: text(chunk.model),
    delta: choice && (loose(choice.delta) ?? loose(choice.message)),
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

/** An error without its usual frame, as vLLM and gateways send it: no choices, but words for what is wrong. */
const isComplaint = ({ object, type, choices, message, msg, detail, errors }: Loose): boolean =>
  object === 'error' || type === 'error' || (!Array.isArray(choices) && Boolean(message || msg || detail || errors));

/** The value if it is an object and no array. */
export const loose = (value: unknown): Loose | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : undefined;

/** The value if it is text, else the empty text. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const parseObject = (data: string): Loose => {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw new ModelFault('bad_response', `the answer holds an event that is not JSON: ${data.slice(0, 200)}`);
  }
  const object = loose(value);
  if (!object)
    throw new ModelFault('bad_response', `the answer holds an event that is no object: ${data.slice(0, 200)}`);
  return object;
};
