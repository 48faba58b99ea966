import { type Issue, type JsonObject } from '@parley/core';
import { outputSchemaIssues } from './output-schema.js';

describe('a schema', () => {
  const issuesOf = (schema: JsonObject, strict = false): Issue[] => outputSchemaIssues({ schema, strict });

  test('may be of several drafts, and say more than is known', () => {
    const draft7 = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { city: { type: 'string', pattern: '^[A-Z]', format: 'city' } },
    };
    expect(issuesOf(draft7)).toEqual([]);
    expect(issuesOf({ $schema: 'https://json-schema.org/draft/2020-12/schema', 'x-own': 1 })).toEqual([]);
    expect(issuesOf({ $defs: { a: { type: 'string' } }, $ref: '#/$defs/a' })).toEqual([]);
  });

  test.each<[string, JsonObject, string, string]>([
    ['is of an unknown type', { type: 'colour' }, 'type', 'is no JSON Schema: it must be one of "array"'],
    [
      'is none deep inside',
      { properties: { 'a/b': { anyOf: [{ type: 'string' }, { minimum: 'x' }] } } },
      'properties.a/b.anyOf[1].minimum',
      'is no JSON Schema: it must be number',
    ],
    [
      'points elsewhere',
      { properties: { far: { $ref: 'https://example.com/schema' } } },
      'properties.far.$ref',
      "can't resolve reference",
    ],
    [
      'has a pattern that is none of RE2',
      { properties: { zip: { pattern: '(?=a)' } } },
      'properties.zip.pattern',
      'is no JSON Schema that can be used: error parsing regexp',
    ],
    [
      'names properties by such a pattern',
      { patternProperties: { '^a': {}, '(?=a)': {} } },
      'patternProperties.(?=a)',
      'error parsing regexp',
    ],
    [
      'is too long to be compiled in passing',
      { properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`property${n}`, {}])) },
      '',
      'is longer than 16384 characters',
    ],
  ])('is refused where it %s, by the place of its fault', (_, schema, path, reason) => {
    expect(issuesOf(schema)).toEqual([{ path, message: expect.stringContaining(reason) }]);
  });

  test('is told of every fault, but of no more than ten places', () => {
    const faulty = { properties: Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`p${n}`, { type: 'x' }])) };
    const issues = issuesOf(faulty);
    expect(issues.map(({ path }) => path)).toEqual(Array.from({ length: 10 }, (_, n) => `properties.p${n}.type`));
  });

  test.each<[string, JsonObject, Issue[]]>([
    ['closed', { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false }, []],
    ['of an array', { type: 'array' }, [{ path: '', message: "is strict, but not of type 'object' at its root" }]],
    ['open', { type: 'object' }, [{ path: '', message: 'is strict, but does not say additionalProperties: false' }]],
    [
      'with a property that may be left out',
      { type: 'object', additionalProperties: false, properties: { a: {} }, required: [] },
      [{ path: '', message: "is strict, but does not require its property 'a'" }],
    ],
    [
      'open in two places inside',
      {
        type: 'object',
        additionalProperties: false,
        required: ['a', 'b'],
        properties: { a: { type: 'array', items: { anyOf: [{ type: 'object' }] } }, b: { type: 'object' } },
      },
      [
        { path: 'properties.a.items.anyOf[0]', message: 'is strict, but does not say additionalProperties: false' },
        { path: 'properties.b', message: 'is strict, but does not say additionalProperties: false' },
      ],
    ],
  ])('that is strict is held to what providers ask: %s', (_, schema, issues) => {
    expect(issuesOf(schema, true)).toEqual(issues);
  });
});
