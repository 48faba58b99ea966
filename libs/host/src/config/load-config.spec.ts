import { inspect } from 'node:util';
import { z } from 'zod';
import { ConfigError, readConfig } from './load-config.js';
import { Secret, secret } from './secret.js';
import { variable, variablesOf } from './variable.js';

const Config = z.object({
  http: z.object({
    host: variable('HOST', z.string().default('127.0.0.1')),
    port: variable('PORT', z.coerce.number().int().min(1).max(65_535).default(8283)),
  }),
  provider: z.object({ key: variable('PROVIDER_KEY', secret()) }),
  open: variable('OPEN', z.stringbool().default(false)),
});

const mistakesOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(Config, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
  }
  return [];
};

describe('the config of an app', () => {
  it('is nested, and takes defaults for what is absent or empty', () => {
    const config = readConfig(Config, { PROVIDER_KEY: 'sk-1', HOST: '', OPEN: '1', OTHER: 'x' });
    expect(config.http).toEqual({ host: '127.0.0.1', port: 8283 });
    expect(config.open).toBe(true);
    expect(config.provider.key.reveal()).toBe('sk-1');
  });

  it('tells all mistakes at once, by the names of the variables', () => {
    const mistakes = mistakesOf({ PORT: '0', OPEN: 'perhaps' });
    expect(mistakes.map((line) => line.split(':')[0])).toEqual(['PORT', 'PROVIDER_KEY', 'OPEN']);
    expect(mistakes[1]).toBe('PROVIDER_KEY: is required');
  });

  it('cannot be changed, at any depth', () => {
    const config = readConfig(Config, { PROVIDER_KEY: 'sk-1' });
    expect(() => Object.assign(config.http, { port: 1 })).toThrow(TypeError);
  });

  it('lists its variables, for the example of the environment', () => {
    expect(variablesOf(Config).map(({ name }) => name)).toEqual(['HOST', 'PORT', 'PROVIDER_KEY', 'OPEN']);
  });

  it('refuses a schema with a value that names no variable', () => {
    expect(() => readConfig(z.object({ a: z.object({ b: z.string() }) }), {})).toThrow("'a.b' names no");
  });
});

describe('a Secret', () => {
  it('shows itself nowhere', () => {
    const key = new Secret('hunter2');
    const shown = [String(key), JSON.stringify({ key }), inspect({ key }, { showHidden: true })];
    for (const text of shown) {
      expect(text).toContain('[secret]');
      expect(text).not.toContain('hunter2');
    }
  });
});
