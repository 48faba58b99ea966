import { type Expected, type Fixture, type Take } from './fixture.js';
import { hi, look, wholeCall, wholeText } from './wire.js';

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

/** Answers in another form than was asked for: in one piece, or under the type of another one. */
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
];
