import { type JsonObject } from '@parley/core';
import { checkOutput, outputSchemaFault } from './output-check.js';

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
    ['{"city":"Oslo"}', "/ must have required property 'people'"],
    ['[]', '/ must be object'],
  ])('is told what is wrong with it: %j', (answer, fault) => {
    expect(checkOutput({ schema }, answer)).toEqual({ ok: false, fault: expect.stringContaining(fault) });
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

describe('a schema', () => {
  const faultOf = (one: JsonObject, strict = false): string | undefined => outputSchemaFault({ schema: one, strict });

  test('may be of several drafts, and say more than is known', () => {
    expect(faultOf(schema)).toBeUndefined();
    expect(faultOf({ $schema: 'https://json-schema.org/draft/2020-12/schema', 'x-own': 1 })).toBeUndefined();
    expect(faultOf({ $defs: { a: { type: 'string' } }, $ref: '#/$defs/a' })).toBeUndefined();
  });

  test.each([
    ['of an unknown type', { type: 'colour' }, 'schema is invalid'],
    ['that points elsewhere', { $ref: 'https://example.com/schema' }, "can't resolve reference"],
    ['with a pattern that is none of RE2', { pattern: '(?=a)' }, 'error parsing regexp'],
  ])('is refused %s', (_, bad, reason) => {
    expect(faultOf(bad)).toContain(reason);
  });

  test('is refused when it is too long to be compiled in passing', () => {
    const names = Array.from({ length: 2_000 }, (_, n) => [`property${n}`, {}]);
    expect(faultOf({ properties: Object.fromEntries(names) as JsonObject })).toBe('it is longer than 16384 characters');
  });

  test.each<[string, JsonObject, string | undefined]>([
    ['closed', schema, undefined],
    ['of an array', { type: 'array' }, "it is strict, but its root is not of type 'object'"],
    ['open', { type: 'object' }, 'it is strict, but its root does not say additionalProperties: false'],
    [
      'with a property that may be left out',
      { type: 'object', additionalProperties: false, properties: { a: {} }, required: [] },
      "it is strict, but its root does not require its property 'a'",
    ],
    [
      'open somewhere inside',
      {
        type: 'object',
        additionalProperties: false,
        required: ['a'],
        properties: { a: { type: 'array', items: { anyOf: [{ type: 'object' }] } } },
      },
      "it is strict, but 'anyOf'[0] does not say additionalProperties: false",
    ],
  ])('that is strict is held to what providers ask: %s', (_, one, fault) => {
    expect(faultOf(one, true)).toBe(fault);
  });
});
