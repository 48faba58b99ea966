import { type Fixture } from './fixture.js';
import {
  choices,
  chunk,
  done,
  event,
  finish,
  framed,
  hi,
  look,
  role,
  said,
  take,
  wholeCall,
  wholeText,
} from './wire.js';

type About = Pick<Fixture, 'name' | 'shows' | 'source'>;

/** The usual stream with this event in front of DONE. */
const reporting = (about: About, usage: string, seen: 'estimated' | { input: number; output: number }): Fixture => ({
  ...about,
  text: take(wholeText.replace(done, usage + done), { ...hi, finish: 'stop', usage: seen }),
  tool: take(wholeCall.replace(done, usage + done), { ...look, finish: 'calls', usage: seen }),
});

const usage = (output: number): string =>
  event({ ...choices(), usage: { prompt_tokens: 7, completion_tokens: output, total_tokens: 7 + output } });

const refusing = (about: About, content: string | null): Fixture => ({
  ...about,
  text: take(
    chunk({ role: 'assistant', content, refusal: 'I will ' }) + chunk({ refusal: 'not.' }) + finish('stop') + done,
    {
      text: 'I will not.',
      finish: 'filtered',
    },
  ),
});

/** The usual answers behind such a text, which is reasoning. */
const thinking = (about: About, text: string, reasoning: string): Fixture => ({
  ...about,
  text: take(role + said(text) + wholeText, { ...hi, finish: 'stop', reasoning }),
  tool: take(role + said(text) + wholeCall, { ...look, finish: 'calls', reasoning }),
});

/** What providers put into their chunks, and what they leave out. */
export const contents: readonly Fixture[] = [
  framed({ name: 'q04', shows: 'a first chunk without choices', source: 'B11' }, (stream) => event(choices()) + stream),
  framed({ name: 'q05', shows: 'chunks without role and id', source: 'B21' }, (stream) =>
    stream.replace(role, '').replaceAll('"id":"x",', ''),
  ),
  framed({ name: 'q06', shows: 'a choice without delta', source: 'B21' }, (stream) =>
    stream.replaceAll('"delta":{},', ''),
  ),
  framed({ name: 'q06-null', shows: 'a delta that is null', source: 'B21' }, (stream) =>
    stream.replaceAll('"delta":{}', '"delta":null'),
  ),
  reporting({ name: 'q20', shows: 'no usage', source: 'B11' }, '', 'estimated'),
  reporting({ name: 'q21', shows: 'usage in the last chunk', source: 'B11' }, usage(3), { input: 7, output: 3 }),
  reporting({ name: 'q22', shows: 'usage that runs with the chunks', source: 'B11' }, usage(1) + usage(2) + usage(3), {
    input: 7,
    output: 3,
  }),
  reporting(
    { name: 'q23', shows: 'usage that is null', source: 'B11' },
    event({ ...choices(), usage: null }),
    'estimated',
  ),
  reporting(
    { name: 'q23-zero', shows: 'usage that is zero', source: 'B11' },
    usage(0).replaceAll('7', '0'),
    'estimated',
  ),
  reporting(
    { name: 'usage-responses', shows: 'usage in the names of the Responses API', source: 'B11' },
    event({ ...choices(), usage: { input_tokens: 7, output_tokens: 3 } }),
    { input: 7, output: 3 },
  ),
  reporting(
    { name: 'usage-ollama', shows: 'usage in the names of Ollama, beside the choices', source: 'B11' },
    event({ ...choices(), prompt_eval_count: 7, eval_count: 3 }),
    { input: 7, output: 3 },
  ),
  reporting(
    { name: 'usage-total', shows: 'usage that is a total alone', source: 'B11' },
    event({ ...choices(), usage: { total_tokens: 10 } }),
    'estimated',
  ),
  {
    ...{ name: 'q24', shows: 'reasoning beside the answer', source: 'B13' },
    text: take(chunk({ role: 'assistant', reasoning_content: 'I think' }) + wholeText, {
      ...hi,
      finish: 'stop',
      reasoning: 'I think',
    }),
    tool: take(chunk({ role: 'assistant', reasoning_content: 'I think' }) + wholeCall, {
      ...look,
      finish: 'calls',
      reasoning: 'I think',
    }),
  },
  {
    ...{ name: 'q24-other', shows: 'reasoning under its other name', source: 'B13' },
    text: take(chunk({ reasoning: 'I think' }) + wholeText, { ...hi, finish: 'stop', reasoning: 'I think' }),
  },
  thinking({ name: 'think-tags', shows: 'reasoning in tags', source: 'B13' }, '<think>I think</think>\n\n', 'I think'),
  {
    ...thinking(
      { name: 'think-open', shows: 'reasoning that was begun by the prompt', source: 'B13' },
      'I think</think>\n\n',
      'I think',
    ),
    thinkOpen: true,
  },
  {
    ...{ name: 'think-lone', shows: 'the end of reasoning where nobody says that it was begun', source: 'B13' },
    text: take(role + said('I think</think>') + finish('stop') + done, { text: 'I think</think>', finish: 'stop' }),
  },
  refusing({ name: 'q25', shows: 'a refusal, its content null', source: 'B14' }, null),
  refusing({ name: 'q25-empty', shows: 'a refusal, its content empty', source: 'B14' }, ''),
  {
    ...{ name: 'q26', shows: 'nothing but a content filter', source: 'B14' },
    text: take(role + finish('content_filter') + done, { finish: 'filtered' }),
  },
  framed({ name: 'base-resp', shows: 'a base_resp that says that all is well', source: 'B20' }, (stream) =>
    stream.replaceAll('"choices"', '"base_resp":{"status_code":0,"status_msg":""},"choices"'),
  ),
  {
    ...{ name: 'reason-unknown', shows: 'a reason to stop that nobody knows', source: 'B08' },
    text: take(wholeText.replace('"stop"', '"had_enough"'), hi),
    tool: take(wholeCall.replace('"tool_calls"}', '"had_enough"}'), look),
  },
  {
    ...{ name: 'reason-alone', shows: 'a reason to stop that nobody knows, and nothing else', source: 'B08' },
    text: take(role + finish('had_enough') + done, { fails: 'bad_response', says: 'had_enough' }),
  },
  {
    ...{ name: 'q43', shows: 'two choices in turn', source: 'B02' },
    text: take(
      event(choices({ index: 1, delta: { content: 'no' }, finish_reason: null })) +
        event(
          choices(
            { index: 1, delta: { content: 'no' }, finish_reason: 'stop' },
            { index: 0, delta: { content: 'hi' }, finish_reason: null },
          ),
        ) +
        finish('stop') +
        done,
      hi,
    ),
  },
  {
    ...{ name: 'q46', shows: 'NUL and half a surrogate pair', source: 'B59' },
    text: take(role + said('a\u0000b\ud83d') + finish('stop') + done, { text: 'a\uFFFDb\uFFFD', finish: 'stop' }),
    tool: take(wholeCall.replace('Bern', '\\ud83d'), { calls: [['look', '{"city":"\uFFFD"}']], finish: 'calls' }),
  },
];
