import { AnswerReader } from './answer-reader.js';

const LIMITS = { eventBytes: 10_000, answerBytes: 20_000 };

/** The events in an answer that comes in these pieces. */
const read = (...pieces: (string | Buffer)[]): string[] => {
  const events: string[] = [];
  const reader = new AnswerReader((data) => events.push(data), LIMITS);
  for (const piece of pieces) reader.push(Buffer.from(piece));
  reader.end();
  return events;
};

describe('AnswerReader', () => {
  test.each([
    ['events', 'data: {"a":1}\n\ndata: {"b":2}\n\n', ['{"a":1}', '{"b":2}']],
    ['events behind a byte order mark and blank lines', '\uFEFF\r\n\n data: {"a":1}\n\n', ['{"a":1}']],
    ['JSON', '{"a":\n1}', ['{"a":\n1}']],
    ['JSON behind a byte order mark and white space', '\uFEFF \t\r\n{"a":1}', ['{"a":1}']],
    ['a list', '[{"a":1}]', ['[{"a":1}]']],
    ['JSON lines', '{"a":1}\n{"b":2}', ['{"a":1}', '{"b":2}']],
    ['a page', '<html>{}</html>', []],
    ['white space', ' \n\n', []],
    ['nothing', '', []],
  ])('finds by their beginning %s, however they are cut', (_, answer, events) => {
    expect(read(answer)).toEqual(events);
    expect(read(...[...Buffer.from(answer)].map((byte) => Buffer.from([byte])))).toEqual(events);
  });

  test('hands over events as they come', () => {
    const events: string[] = [];
    const reader = new AnswerReader((data) => events.push(data), LIMITS);
    reader.push(Buffer.from('data: {"a":1}\n\ndata'));
    expect(events).toEqual(['{"a":1}']);
  });

  test('takes lines for signs of life before the answer and in it, and single bytes for none', () => {
    const reader = new AnswerReader(() => undefined, LIMITS);
    const life = ['\n', ' ', '\n', '{', '"a":', '\n', '1', 'x'.repeat(5_000)].map((piece) =>
      reader.push(Buffer.from(piece)),
    );
    expect(life).toEqual([true, false, true, false, false, true, false, true]);
  });

  test.each(['\n', '{"a":1}\n', 'data: {}\n\n'])('is bounded, whatever comes: %j', (piece) => {
    const reader = new AnswerReader(() => undefined, LIMITS);
    const flood = (): void => {
      for (;;) reader.push(Buffer.from(piece));
    };
    expect(flood).toThrow('the answer is larger than 20000 bytes');
  });
});
