import fc from 'fast-check';
import { ModelFault } from '../model-failure.js';
import { SseReader } from './sse-reader.js';

type Event = [data: string, name: string | undefined];

const LIMITS = { eventBytes: 1_000_000, answerBytes: 100_000_000 };

/** All events of these chunks. */
const read = (chunks: readonly Buffer[], limits = LIMITS): Event[] => {
  const events: Event[] = [];
  const reader = new SseReader((data, name) => events.push([data, name]), limits);
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return events;
};
const of = (text: string): Event[] => read([Buffer.from(text)]);
const dataOf = (text: string): string[] => of(text).map(([data]) => data);

/** `bytes` cut at these places, which may be any numbers. */
const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
};
const faultOf = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error instanceof ModelFault ? error.code : error;
  }
};

describe('SseReader', () => {
  test.each([
    ['LF', 'data: a\n\ndata: b\n\n'],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['CR', 'data: a\r\rdata: b\r\r'],
    ['LF and CRLF mixed', 'data: a\n\r\ndata: b\r\n\n'],
    ['CR and LF mixed', 'data: a\r\rdata: b\n\r'],
  ])('ends lines at %s', (_, text) => {
    expect(dataOf(text)).toEqual(['a', 'b']);
  });

  test('takes one space after the colon off, not two, and needs none', () => {
    expect(dataOf('data:a\n\ndata: b\n\ndata:  c\n\n')).toEqual(['a', 'b', ' c']);
  });

  test('joins the data lines of one event with a newline, empty ones too', () => {
    expect(dataOf('data: a\ndata: b\n\ndata: a\ndata:\ndata\ndata: b\n\n')).toEqual(['a\nb', 'a\n\n\nb']);
  });

  test('takes CRLF for one end of a line, also when it is cut in two', () => {
    expect(dataOf('data: a\r\ndata: b\r\n\r\n')).toEqual(['a\nb']);
    expect(read(['data: a\r', '\n', 'data: b\r', '\n\r', '\n'].map((text) => Buffer.from(text)))).toEqual([
      ['a\nb', undefined],
    ]);
  });

  test('says how an event is named, and forgets it with the event', () => {
    expect(of('event: error\ndata: a\n\ndata: b\n\nevent:x\n\ndata: c\n\n')).toEqual([
      ['a', 'error'],
      ['b', undefined],
      ['c', undefined],
    ]);
  });

  test('passes over comments, ids, retries, unknown fields and blank lines', () => {
    expect(dataOf('\n\n: ping\n:\nid: 7\nretry: 10\nfoo: bar\ndataset: 1\ndata: a\n: ping\nid\n\n\n\n')).toEqual(['a']);
  });

  test('passes over a byte order mark at the start only', () => {
    expect(dataOf('\ufeffdata: a\n\n')).toEqual(['a']);
    expect(dataOf('data: a\n\n\ufeffdata: b\n\ndata: c\n\n')).toEqual(['a', 'c']);
  });

  test('counts a last event that lacks its blank line or even the end of its line', () => {
    expect(dataOf('data: a\n')).toEqual(['a']);
    expect(dataOf('data: a\n\ndata: b')).toEqual(['a', 'b']);
  });

  test('reads invalid UTF-8 as U+FFFD', () => {
    expect(read([Buffer.from([...Buffer.from('data: a'), 0xff, 0xfe, ...Buffer.from('b\n\n')])])).toEqual([
      ['a\uFFFD\uFFFDb', undefined],
    ]);
  });

  test('gives the same events however the bytes are cut', () => {
    const newline = fc.constantFrom('\n', '\r\n', '\r');
    const content = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replace(/[\r\n]/g, ''));
    const field = fc.constantFrom('data:', 'data: ', 'data', ':', 'event: ', 'id: ', '', '\ufeff', 'datax: ');
    const line = fc.tuple(field, content, newline).map((pieces) => pieces.join(''));
    const stream = fc.array(fc.oneof({ weight: 2, arbitrary: line }, newline), { maxLength: 30 });
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 20 }), (lines, places) => {
        const bytes = Buffer.from(lines.join(''));
        const whole = read([bytes]);
        expect(read(cut(bytes, places))).toEqual(whole);
        expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  test('reads what it is told, whatever it is', () => {
    const data = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replace(/[\r\n]/g, ' '));
    fc.assert(
      fc.property(fc.array(data), fc.array(fc.nat()), (values, places) => {
        const bytes = Buffer.from(values.map((value) => `data: ${value}\n\n`).join(''));
        expect(read(cut(bytes, places))).toEqual(values.map((value) => [value, undefined]));
      }),
    );
  });

  describe('costs', () => {
    const lineOf = (megabytes: number): Buffer => Buffer.from(`data: ${'x'.repeat(megabytes * 2 ** 20)}\n\n`);
    const piecesOf = (bytes: Buffer): Buffer[] =>
      Array.from({ length: Math.ceil(bytes.length / 1_460) }, (_, i) => bytes.subarray(i * 1_460, (i + 1) * 1_460));
    const roomy = { eventBytes: 2 ** 24, answerBytes: 2 ** 25 };

    test('less than a second for a line of 8 MB in small writes', () => {
      const pieces = piecesOf(lineOf(8));
      const started = performance.now();
      expect(read(pieces, roomy)[0]?.[0]).toHaveLength(8 * 2 ** 20);
      expect(performance.now() - started).toBeLessThan(1_000);
    });

    test('no more than the limit of one event, in one line or in many', () => {
      const limits = { eventBytes: 1_000, answerBytes: 1_000_000 };
      const endless = Array.from({ length: 1_000 }, () => Buffer.from('x'.repeat(100)));
      const many = Array.from({ length: 1_000 }, () => Buffer.from('data: 1\n'));
      const empty = Array.from({ length: 1_000 }, () => Buffer.from('data\n'));
      expect(faultOf(() => read(endless, limits))).toBe('too_large');
      expect(faultOf(() => read(many, limits))).toBe('too_large');
      expect(faultOf(() => read(empty, limits))).toBe('too_large');
      expect(faultOf(() => read([Buffer.from(`data: ${'x'.repeat(1_000)}\n\n`)], limits))).toBe('too_large');
      expect(read([Buffer.from(`data: ${'x'.repeat(900)}\n\n`.repeat(20))], limits)).toHaveLength(20);
    });

    test('no more than the limit of the answer, comments and blank lines included', () => {
      const limits = { eventBytes: 1_000, answerBytes: 10_000 };
      const comments = Array.from({ length: 1_000 }, () => Buffer.from(': waiting\n\n'));
      expect(faultOf(() => read(comments, limits))).toBe('too_large');
    });
  });

  describe('takes for a sign of life', () => {
    const reader = (): SseReader => new SseReader(() => undefined, LIMITS);

    test('the end of any line, also of a comment', () => {
      const one = reader();
      expect(['data: a', '\n', ': pi', 'ng\r', '\n\n'].map((text) => one.push(Buffer.from(text)))).toEqual([
        false,
        true,
        false,
        true,
        true,
      ]);
    });

    test('a good deal of an unfinished line, not a drip', () => {
      const one = reader();
      const signs = Array.from({ length: 9_000 }, () => one.push(Buffer.from('x')));
      expect(signs.filter(Boolean)).toHaveLength(2);
    });
  });
});
