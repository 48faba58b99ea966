import { type Fixture } from './fixture.js';
import { choices, done, event, framed, hi, look, take, wholeCall, wholeText } from './wire.js';

const EIGHT_MB = 8 * 1024 * 1024;

/** An answer whose one line is 8 MB long; the adapter's own cap decides whether it is taken. */
export const longLine = (): string =>
  event(choices({ index: 0, delta: { content: 'x'.repeat(EIGHT_MB) }, finish_reason: 'stop' })) + done;

/** Server-sent events in all the forms that the standard allows, and in some that it does not. */
export const framing: readonly Fixture[] = [
  framed({ name: 'q01', shows: 'the usual stream', source: 'B16' }, (stream) => stream),
  framed({ name: 'q27', shows: 'lines that end in CR LF', source: 'B16' }, (stream) => stream.replaceAll('\n', '\r\n')),
  framed({ name: 'q28', shows: 'lines that end in CR', source: 'B16' }, (stream) => stream.replaceAll('\n', '\r')),
  framed({ name: 'q29', shows: 'LF and CR LF in turn', source: 'B16' }, (stream) =>
    stream.replaceAll('\n\n', '\n\r\n'),
  ),
  {
    ...{ name: 'q30', shows: 'characters of two, three and four bytes', source: 'B16' },
    text: take(wholeText.replace('"i"', '"é😀漢"'), { text: 'hé😀漢', finish: 'stop' }),
    tool: take(wholeCall.replace('Bern', 'é😀漢'), { calls: [['look', '{"city":"é😀漢"}']], finish: 'calls' }),
  },
  {
    ...{ name: 'q31', shows: 'bytes that are no UTF-8', source: 'B59' },
    text: broken(wholeText.replace('"i"', '"~"'), { text: 'h\uFFFD\uFFFD', finish: 'stop' }),
    tool: broken(wholeCall.replace('Bern', '~'), { calls: [['look', '{"city":"\uFFFD\uFFFD"}']], finish: 'calls' }),
  },
  framed({ name: 'q32', shows: 'no space after data:', source: 'B18' }, (stream) =>
    stream.replaceAll('data: ', 'data:'),
  ),
  framed(
    { name: 'q33', shows: 'comments before, between and behind', source: 'B19' },
    (stream) => `: ping\n\n${stream.replaceAll('\n\n', '\n: ping\n\n:\n')}`,
  ),
  framed({ name: 'q34', shows: 'one event on several data lines', source: 'B19' }, (stream) =>
    stream.replaceAll(',"choices"', '\ndata: ,"choices"'),
  ),
  framed({ name: 'q34-fields', shows: 'event, id, retry and unknown fields', source: 'B19' }, (stream) =>
    stream.replaceAll('data: ', 'event: message\nid: 7\nretry: 100\nnonsense\ndata: '),
  ),
  framed({ name: 'q35', shows: 'a byte order mark', source: 'B19' }, (stream) => `\uFEFF${stream}`),
  framed({ name: 'q35-empty', shows: 'empty data lines', source: 'B19' }, (stream) =>
    stream.replaceAll('\n\n', '\n\ndata:\n\ndata: \n\n'),
  ),
  framed({ name: 'q35-words', shows: 'data lines that hold no object', source: 'B19' }, (stream) =>
    stream.replaceAll('data: {', 'data: ping\n\ndata: null\n\ndata: ""\n\ndata: []\n\ndata: {'),
  ),
  framed({ name: 'q42', shows: 'text after DONE', source: 'B22' }, (stream) => stream + wholeText),
  {
    ...{ name: 'q45', shows: 'one line of 8 MB in writes of 1460 bytes: over the cap', source: 'B24' },
    text: { answer: () => [{ raw: longLine() }, { end: 'close' }], expected: { fails: 'too_large' } },
    writes: { bytes: 1460 },
  },
  {
    ...{ name: 'q50', shows: 'a connection that stays open after DONE', source: 'B22' },
    text: { answer: () => [{ raw: wholeText }, { end: 'stall' }], expected: hi },
    tool: { answer: () => [{ raw: wholeCall }, { end: 'stall' }], expected: look },
  },
];

/** The stream with FF FE in place of `~`. */
function broken(stream: string, expected: Fixture['text']['expected']): Fixture['text'] {
  const [before = '', after = ''] = stream.split('~');
  const raw = Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xfe]), Buffer.from(after)]).toString('base64');
  return { answer: () => [{ raw, encoding: 'base64' }, { end: 'close' }], expected };
}
