import { z } from 'zod';
import { issuesOf, issuesText } from './issue.js';

const issues = (schema: z.ZodType, value: unknown) => {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : issuesOf(parsed.error);
};

describe('the issues of a refused value', () => {
  it('names nested places by a dotted path with indexes', () => {
    const schema = z.object({ steps: z.array(z.object({ name: z.string().min(1, 'is empty') })) });
    expect(issues(schema, { steps: [{ name: 'a' }, { name: '' }] })).toEqual([
      { path: 'steps[1].name', message: 'is empty' },
    ]);
  });

  it('says that an absent field is required', () => {
    expect(issues(z.object({ name: z.string() }), {})).toEqual([{ path: 'name', message: 'is required' }]);
  });

  it('says of text that is no number what it must be', () => {
    expect(issues(z.object({ port: z.coerce.number() }), { port: 'many' })).toEqual([
      { path: 'port', message: 'must be a number' },
    ]);
  });

  it('names every unknown key by its own path', () => {
    const schema = z.object({ model: z.object({}).strict() }).strict();
    expect(issues(schema, { model: { a: 1, b: 2 } })).toEqual([
      { path: 'model.a', message: 'is not a known field' },
      { path: 'model.b', message: 'is not a known field' },
    ]);
  });

  it('tells of a union what the nearest branch misses', () => {
    const schema = z.object({
      at: z.union([z.object({ a: z.string(), b: z.string() }), z.object({ id: z.string() })]),
    });
    expect(issues(schema, { at: {} })).toEqual([{ path: 'at.id', message: 'is required' }]);
  });

  it('says what is wrong with a key', () => {
    const schema = z.record(z.string().regex(/^[a-z]+$/, 'must be letters'), z.number());
    expect(issues(schema, { A1: 1 })).toEqual([{ path: 'A1', message: 'must be letters' }]);
  });

  it('names the first 20 places, and counts the others', () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, n]));
    const found = issues(z.strictObject({}), unknown);
    expect(found).toHaveLength(21);
    expect(found.slice(19)).toEqual([
      { path: 'k19', message: 'is not a known field' },
      { path: '', message: 'and 980 more' },
    ]);
  });

  it('reads as one sentence', () => {
    expect(
      issuesText([
        { path: '', message: 'is empty' },
        { path: 'a', message: 'is required' },
      ]),
    ).toBe('is empty; a: is required');
  });
});
