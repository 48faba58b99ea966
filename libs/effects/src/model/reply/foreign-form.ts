import { type Loose } from './chat-chunk.js';

const ANTHROPIC_EVENT = /^(message_(start|delta|stop)|content_block_(start|delta|stop))$/;

/** By what events and whole answers of other APIs are known. */
const FORMS: readonly [api: string, has: (event: Loose) => boolean][] = [
  [
    "Anthropic's Messages API",
    ({ type, role }) => ANTHROPIC_EVENT.test(String(type)) || (type === 'message' && role === 'assistant'),
  ],
  ["OpenAI's Responses API", ({ type, object }) => String(type).startsWith('response.') || object === 'response'],
  ["Ollama's own API", ({ done }) => typeof done === 'boolean'],
  ["Gemini's own API", ({ candidates }) => Array.isArray(candidates)],
];

/** Which other API an event is of, as a base URL that is a little wrong brings it about; undefined: none that is known. */
export const foreignForm = (event: Loose): string | undefined =>
  event.choices === undefined ? FORMS.find(([, has]) => has(event))?.[0] : undefined;
