import { PlatformError } from '@parley/core';
import fc from 'fast-check';
import { parseJsonBody } from './json-body.js';

const refusal = (body: string | Buffer): PlatformError => {
  try {
    parseJsonBody(Buffer.from(body));
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('it was taken');
};

describe('a JSON body', () => {
  it('is read as JSON.parse reads it', () => {
    const json = fc.json({ maxDepth: 5 }).filter((text) => !/__proto__|constructor|prototype|\\u|\p{Cs}/u.test(text));
    fc.assert(fc.property(json, (text) => expect(parseJsonBody(Buffer.from(text))).toEqual(JSON.parse(text))));
  });

  it.each([
    ['', 'is empty'],
    [Buffer.from([0x22, 0xff, 0x22]), 'not UTF-8'],
    ['{"a":tru}', 'expected a value at position 5'],
    ['{"a":1,}', 'expected a name in double quotes at position 7'],
    ['{"a" 1}', "expected ':' at position 5"],
    ['[1 2]', "expected ',' or ']' at position 3"],
    ['{"a":1', "expected ',' or '}' at position 6"],
    ['"abc', "expected '\"' at position 4"],
    ['"\\x"', 'expected a known escape at position 1'],
    ['"a\nb"', 'expected an escape instead of a control character at position 2'],
    ['{} x', 'expected the end at position 3'],
    ['[01]', "expected ',' or ']' at position 2"],
  ])('that is not one is refused with the place: %j', (body, reason) => {
    const error = refusal(body);
    expect(error.code).toBe('malformed');
    expect(error.message).toContain(reason);
  });

  it('finds the fault of every text that JSON.parse refuses', () => {
    const broken = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom('', '}', '"', ',', 'x', '\\', '['))
      .map(
        ([text, at, with_]) => text.slice(0, at % (text.length + 1)) + with_ + text.slice((at % (text.length + 1)) + 1),
      );
    fc.assert(
      fc.property(broken, (text) => {
        let legal = true;
        try {
          JSON.parse(text);
        } catch {
          legal = false;
        }
        fc.pre(!legal && text.isWellFormed() && text !== '');
        const at = Number(/at position (\d+)$/.exec(refusal(text).message)?.[1]);
        expect(at).toBeLessThanOrEqual(text.length);
        expect(refusal(text).message).not.toContain('expected nothing');
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['{"a":{"__proto__":1}}', 'a.__proto__', 'not allowed'],
    ['{"a":["x","\\u0000"]}', 'a[1]', 'U+0000'],
    ['{"a":"\\ud800"}', 'a', 'surrogate'],
    ['{"a":{"\\udfff":1}}', 'a', 'has a key'],
  ])('that cannot be stored is refused with its path: %s', (body, path, reason) => {
    const [issue] = refusal(body).details.issues ?? [];
    expect(issue?.path).toBe(path);
    expect(issue?.message).toContain(reason);
  });

  it.each([
    ['arrays', '['.repeat(8_000) + ']'.repeat(8_000)],
    ['objects', '{"a":'.repeat(8_000) + '1' + '}'.repeat(8_000)],
    ['arrays that never end', '['.repeat(16 * 2 ** 20)],
    ['brackets behind a string', `{"a\\\\":"\\"[[[[","b":${'['.repeat(8_000)}`],
  ])('nested too deep is refused at once, with a path: %s', (_what, body) => {
    const bytes = Buffer.from(body);
    const started = performance.now();
    const [issue] = refusal(bytes).details.issues ?? [];
    expect(performance.now() - started).toBeLessThan(200);
    expect(issue?.message).toBe('is nested deeper than 64 levels');
    expect(issue?.path).not.toBe('');
  });

  it.each([
    ['{%}', ''],
    ['{"b":{},"a":[1,{"c d":{%}}]}', 'a[1].c d'],
    ['[[{%', '[0][0]'],
  ])('with more than 10,000 fields in one object is refused with its path: %s', (around, path) => {
    const fields = Array.from({ length: 10_001 }, (_, n) => `"f${n}":"{:"`).join();
    expect(refusal(around.replace('%', fields)).details.issues).toEqual([
      { path, message: 'has more than 10000 fields' },
    ]);
  });

  it('may have 10,000 fields in each of its objects', () => {
    const fields = Array.from({ length: 10_000 }, (_, n) => `"f${n}":{"a":1}`).join();
    expect(Object.keys(parseJsonBody(Buffer.from(`{${fields}}`)) ?? {})).toHaveLength(10_000);
  });

  it('may be nested 64 levels deep', () => {
    const body = '['.repeat(64) + ']'.repeat(64);
    expect(JSON.stringify(parseJsonBody(Buffer.from(body)))).toBe(body);
  });

  it('may hold as many brackets in strings as it likes', () => {
    const body = JSON.stringify({ text: '[{"\\'.repeat(1_000) });
    expect(JSON.stringify(parseJsonBody(Buffer.from(body)))).toBe(body);
  });
});
