import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { variablesOf } from '@parley/host';
import { z } from 'zod';

const root = join(import.meta.dirname, '..');

/** Names and values of an environment file; empty values are kept. */
const entriesOf = (text: string): [name: string, value: string][] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);

/** The config schemas that apps export. */
const schemas = async (): Promise<z.ZodType[]> => {
  const files = readdirSync(join(root, 'apps')).map((app) => join(root, 'apps', app, 'src', 'config.ts'));
  const modules = await Promise.all(
    files.filter(existsSync).map(async (path) => {
      const module: Record<string, unknown> = await import(path);
      return Object.entries(module).flatMap(([name, value]) =>
        name.endsWith('Config') && value instanceof z.ZodType ? [value] : [],
      );
    }),
  );
  return modules.flat();
};

describe('.env.example', () => {
  const entries = entriesOf(readFileSync(join(root, '.env.example'), 'utf8'));

  it('names the variables of all apps and no other', async () => {
    const variables = (await schemas()).flatMap((schema) => variablesOf(schema).map(({ name }) => name));
    expect(variables.length).toBeGreaterThan(10);
    expect(new Set(entries.map(([name]) => name))).toEqual(new Set(variables));
  });

  it('names each once, with a value that its schema takes', async () => {
    expect(entries.length).toBe(new Set(entries.map(([name]) => name)).size);
    const variables = (await schemas()).flatMap((schema) => variablesOf(schema));
    for (const [name, value] of entries) {
      const given = value === '' ? undefined : value;
      const taken = variables.some((one) => one.name === name && one.schema.safeParse(given).success);
      expect({ name, taken }).toEqual({ name, taken: true });
    }
  });
});
