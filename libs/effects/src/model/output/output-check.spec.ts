import { checkOutput } from './output-check.js';

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { city: { type: 'string', pattern: '^[A-Z]' }, people: { type: 'integer', minimum: 1 } },
  required: ['city', 'people'],
  additionalProperties: false,
};

describe('an answer that has to be JSON of a schema', () => {
  test.each([
    ['{"city":"Oslo","people":7}', '{"city":"Oslo","people":7}'],
    [' \n{"city":"Oslo","people":7}\n', '{"city":"Oslo","people":7}'],
    ['```json\n{"city":"Oslo","people":7}\n```', '{"city":"Oslo","people":7}'],
    ['```\n{"city":"Oslo","people":7}```', '{"city":"Oslo","people":7}'],
  ])('is its JSON: %j', (answer, json) => {
    expect(checkOutput({ schema }, answer)).toEqual({ ok: true, json });
  });

  test.each([
    ['', 'it is not JSON'],
    ['Oslo has seven people.', 'it is not JSON'],
    ['{"city":"Oslo"', 'it is not JSON'],
    ['{"city":"oslo","people":7}', '/city must match pattern'],
    ['{"city":"Oslo","people":0}', '/people must be >= 1'],
    ['{"city":"Oslo"}', '/people is required'],
    ['{"city":"Oslo","people":7,"a/b~c":1}', '/a~1b~0c is not allowed'],
    ['[]', 'it must be object'],
  ])('is told what is wrong with it: %j', (answer, fault) => {
    expect(checkOutput({ schema }, answer)).toEqual({ ok: false, fault: expect.stringContaining(fault) });
  });

  test('is told the place of each fault, and what may stand there, and nothing of what does', () => {
    const colours = { items: { properties: { colour: { enum: ['red', 'blue'] }, unit: { const: 'm' } } } };
    const answer = '[{"colour":"red"},{"colour":"secret green","unit":"secret"}]';
    expect(checkOutput({ schema: colours }, answer)).toEqual({
      ok: false,
      fault: '/1/colour must be one of "red", "blue"; /1/unit must be "m"',
    });
  });

  test('is told no long names of its own', () => {
    const checked = checkOutput({ schema }, JSON.stringify({ ['x'.repeat(5_000)]: 1 }));
    expect(!checked.ok && checked.fault.length).toBeLessThan(300);
  });

  test('is held against each of several patterns', () => {
    const two = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
    expect(checkOutput({ schema: two }, '{"a":"a","b":"b"}')).toMatchObject({ ok: true });
    expect(checkOutput({ schema: two }, '{"a":"b","b":"a"}')).toMatchObject({
      fault: '/a must match pattern "^a$"; /b must match pattern "^b$"',
    });
  });

  test('is told ten faults at most', () => {
    const items = { type: 'array', items: { type: 'string' } };
    const checked = checkOutput({ schema: items }, JSON.stringify(Array.from({ length: 99 }, (_, n) => n)));
    expect(!checked.ok && checked.fault.split('; ')).toHaveLength(10);
  });

  test('costs no time by a pattern that would run without end', () => {
    const slow = { type: 'string', pattern: '^(a+)+$' };
    const before = performance.now();
    expect(checkOutput({ schema: slow }, JSON.stringify(`${'a'.repeat(50_000)}!`))).toMatchObject({ ok: false });
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});
