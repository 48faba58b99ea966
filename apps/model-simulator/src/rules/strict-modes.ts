import { z } from 'zod';
import { type ApiError, invalidRequest } from '../http/api-error.js';

/** What some providers refuse though OpenAI takes it. */
export const StrictMode = z.enum([
  'must_echo_reasoning',
  'must_not_echo_reasoning',
  'content_not_null',
  'no_stream_options',
  'short_tool_names',
  'no_system_role',
]);
export type StrictMode = z.infer<typeof StrictMode>;

/** What is looked at of a request that OpenAI would take; with the keys that are no longer OpenAI's. */
const Request = z.object({
  stream_options: z.unknown().optional(),
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.unknown().optional(),
      reasoning_content: z.unknown().optional(),
      reasoning: z.unknown().optional(),
      tool_calls: z.array(z.object({ function: z.object({ name: z.string() }).optional() })).optional(),
    }),
  ),
});
type Message = z.infer<typeof Request>['messages'][number];

const shortName = 40;

const echoes = ({ reasoning_content, reasoning }: Message): boolean => Boolean(reasoning_content ?? reasoning);
const calls = ({ tool_calls = [] }: Message): boolean => tool_calls.length > 0;

/** The messages that a mode refuses, and in which words. `no_stream_options` is not about messages. */
const refused: Record<
  Exclude<StrictMode, 'no_stream_options'>,
  [key: string, (message: Message) => boolean, string]
> = {
  must_echo_reasoning: [
    'reasoning_content',
    (message) => calls(message) && !echoes(message),
    'The reasoning_content of the thinking mode must be passed back.',
  ],
  must_not_echo_reasoning: ['reasoning_content', echoes, 'reasoning_content is not allowed in the input.'],
  content_not_null: ['content', ({ content }) => content === null, 'content must be a string.'],
  short_tool_names: [
    'tool_calls',
    ({ tool_calls = [] }) => tool_calls.some((call) => (call.function?.name.length ?? 0) > shortName),
    `The name of a tool is longer than ${shortName} characters.`,
  ],
  no_system_role: ['role', ({ role }) => role === 'system' || role === 'developer', 'The role is not supported.'],
};

/** Throws ApiError 400, as the provider would, for the first of these modes that the body of a request is against. */
export function checkStrictly(body: string, modes: readonly StrictMode[] = []): void {
  if (modes.length === 0) return;
  const request = Request.parse(JSON.parse(body));
  for (const mode of modes) {
    const refusal = refusalOf(mode, request);
    if (refusal) throw refusal;
  }
}

function refusalOf(mode: StrictMode, { stream_options, messages }: z.infer<typeof Request>): ApiError | undefined {
  if (mode === 'no_stream_options') {
    const param = 'stream_options';
    return stream_options === undefined ? undefined : invalidRequest(param, `Unknown parameter: '${param}'.`);
  }
  const [key, refuses, words] = refused[mode];
  const at = messages.findIndex(refuses);
  return at < 0 ? undefined : invalidRequest(`messages[${at}].${key}`, words);
}
