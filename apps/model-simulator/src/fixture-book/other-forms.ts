import { type Expected, type Fixture, type Take } from './fixture.js';
import { choices, done, event, hi, look, take, wholeCall, wholeText } from './wire.js';

type About = Pick<Fixture, 'name' | 'shows' | 'source'>;

/** These bytes under this type. */
const typed = (type: string, raw: string, expected: Expected): Take => ({
  answer: () => [{ head: { headers: { 'content-type': type } } }, { raw }, { end: 'close' }],
  expected,
});

const completion = (message: object, finish: string): string =>
  JSON.stringify({
    ...{ id: 'x', object: 'chat.completion', created: 1, model: 'm' },
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
  });
const text = completion({ content: 'hi' }, 'stop');
const calls = [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{"city":"Bern"}' } }];
const call = completion({ content: null, tool_calls: calls }, 'tool_calls');

/** The usual answers, each in such a form. */
const both = (about: About, type: string, [text, tool]: readonly [text: string, tool: string]): Fixture => ({
  ...about,
  text: typed(type, text, hi),
  tool: typed(type, tool, look),
});

const lines = (stream: string): string =>
  stream.replace('data: [DONE]', '').replaceAll('data: ', '').replaceAll('\n\n', '\n');

/** An answer of another API. */
const foreign = (name: string, api: string, answer: Take['answer']): Fixture => ({
  ...{ name: `other-${name}`, shows: `an answer of ${api}`, source: 'B20' },
  text: { answer, expected: { fails: 'not_found', says: api } },
});

/** One event whose data bears its name. */
const named = (type: string, rest: object = {}): string => `event: ${type}\n${event({ type, ...rest })}`;
const bytes = (type: string, raw: string): Take['answer'] => typed(type, raw, hi).answer;

const otherApis: readonly Fixture[] = [
  foreign(
    'anthropic',
    "Anthropic's Messages API",
    bytes(
      'text/event-stream',
      named('message_start', { message: { role: 'assistant', content: [] } }) +
        named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'hi' } }) +
        named('message_stop'),
    ),
  ),
  foreign(
    'anthropic-whole',
    "Anthropic's Messages API",
    bytes(
      'application/json',
      JSON.stringify({ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'hi' }] }),
    ),
  ),
  foreign(
    'responses',
    "OpenAI's Responses API",
    bytes(
      'text/event-stream',
      named('response.created', { response: { id: 'x' } }) + named('response.output_text.delta', { delta: 'hi' }),
    ),
  ),
  foreign(
    'ollama',
    "Ollama's own API",
    bytes(
      'application/x-ndjson',
      '{"model":"m","message":{"role":"assistant","content":"hi"},"done":false}\n{"model":"m","done":true}\n',
    ),
  ),
  foreign(
    'gemini',
    "Gemini's own API",
    bytes('text/event-stream', event({ candidates: [{ content: { parts: [{ text: 'hi' }] } }] })),
  ),
];

/** Answers in another form than was asked for: in one piece, under the type of another one, of another API. */
export const otherForms: readonly Fixture[] = [
  both(
    { name: 'q39-whole', shows: 'a whole completion though a stream was asked for', source: 'B20' },
    'application/json',
    [text, call],
  ),
  both({ name: 'json-late', shows: 'a whole completion behind blank lines', source: 'B19' }, 'application/json', [
    `\n\n \n\n${text}`,
    `\n\n \n\n${call}`,
  ]),
  both({ name: 'json-list', shows: 'a whole completion in a list', source: 'B20' }, 'application/json', [
    `[${text}]`,
    `[${call}]`,
  ]),
  both(
    { name: 'json-as-events', shows: 'a whole completion that is called a stream', source: 'B20' },
    'text/event-stream',
    [text, call],
  ),
  both({ name: 'json-lines', shows: 'a stream of JSON lines', source: 'B20' }, 'application/x-ndjson', [
    lines(wholeText),
    lines(wholeCall),
  ]),
  both({ name: 'events-as-json', shows: 'a stream that is called JSON', source: 'B20' }, 'application/json', [
    wholeText,
    wholeCall,
  ]),
  {
    ...{ name: 'error-as-events', shows: 'an error in one piece that is called a stream', source: 'B20' },
    text: typed('text/event-stream', JSON.stringify({ error: { message: 'Busy.' } }), {
      fails: 'server_error',
      says: 'Busy.',
    }),
  },
  {
    ...{ name: 'json-cut', shows: 'a whole completion that is cut off', source: 'B21' },
    text: typed('application/json', text.slice(0, -20), { fails: 'bad_response' }),
    tool: typed('application/json', call.slice(0, -20), { fails: 'bad_response' }),
  },
  {
    ...{ name: 'text-of-old', shows: 'the text of completions before there was chat', source: 'B21' },
    text: take(
      event(choices({ index: 0, text: 'h', logprobs: null, finish_reason: null })) +
        event(choices({ index: 0, text: 'i', logprobs: null, finish_reason: 'stop' })) +
        done,
      hi,
    ),
  },
  {
    ...{ name: 'whole-again', shows: 'the whole message once more behind its pieces', source: 'B04' },
    text: take(wholeText.replace(done, `data: ${text}\n\n${done}`), hi),
    tool: take(wholeCall.replace(done, `data: ${call}\n\n${done}`), look),
  },
  ...otherApis,
];
