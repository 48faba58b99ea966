import { readFileSync } from 'node:fs';
import { ProviderFileError, readProviderFile } from './provider-file.js';
import { ProviderTable } from './provider.js';
import { Providers } from './providers.js';
import { USUAL } from './quirks.js';

const read = (file: unknown, environment: Record<string, string> = {}) =>
  readProviderFile(typeof file === 'string' ? file : JSON.stringify(file), environment);

const mistakes = (file: unknown): string[] => {
  try {
    read(file, { EMPTY: '' });
  } catch (error) {
    if (error instanceof ProviderFileError) return error.issues.map(({ path, message }) => `${path}: ${message}`);
    throw error;
  }
  return [];
};

describe('a file of providers', () => {
  test('takes secrets as they stand or from the environment', () => {
    const { providers } = read(
      {
        providers: {
          azure: { baseUrl: 'https://x.example/openai/v1', headers: { 'api-key': { env: 'AZURE_KEY' } } },
          local: { baseUrl: 'http://127.0.0.1:11434/v1', apiKey: 'plain' },
        },
      },
      { AZURE_KEY: 'from outside' },
    );
    expect(providers['azure']?.headers?.['api-key']?.reveal()).toBe('from outside');
    expect(providers['local']?.apiKey?.reveal()).toBe('plain');
    expect(JSON.stringify(providers)).not.toMatch(/from outside|plain/);
  });

  test('tells all that is wrong with it, by path', () => {
    expect(
      mistakes({
        default: 'none',
        providers: {
          'Bad Name': { baseUrl: 'https://x.example' },
          one: {
            baseUrl: 'ftp://x.example',
            apiKey: { env: 'NOT_SET' },
            headers: { a: { env: 'EMPTY' } },
            quirks: { streamOptions: 'no', unknown: 1 },
            models: { m: { window: 0, price: { input: -1, cachedInput: 0, output: 0 } } },
          },
        },
      }).sort(),
    ).toEqual([
      expect.stringContaining('providers.Bad Name: must be 1 to 50'),
      'providers.one.apiKey: names the variable NOT_SET, which is not set',
      'providers.one.baseUrl: must be an http or https URL',
      'providers.one.headers.a: names the variable EMPTY, which is not set',
      expect.stringContaining('providers.one.models.m.price.input'),
      expect.stringContaining('providers.one.models.m.window'),
      expect.stringContaining('providers.one.quirks.streamOptions'),
      'providers.one.quirks.unknown: is not a known field',
    ]);
  });

  test('names a default that it has', () => {
    expect(mistakes({ default: 'none', providers: {} })).toEqual([
      'default: must be one of the providers of this file',
    ]);
    expect(read({ default: 'a', providers: { a: { baseUrl: 'http://a.example' } } }).default).toBe('a');
  });

  test('may be the one that the documentation shows', () => {
    const page = readFileSync(new URL('../../../../../docs/providers.md', import.meta.url), 'utf8');
    const example = /```json\n(.*?)```/s.exec(page)?.[1] ?? '';
    const keys = { AZURE_OPENAI_KEY: 'a', GEMINI_API_KEY: 'g', DEEPSEEK_API_KEY: 'd', OPENROUTER_API_KEY: 'o' };
    const { default: name, providers } = read(example, keys);
    const table = new Providers(ProviderTable.parse({ default: name, providers }));
    expect(table.resolve('azure').model).toBe('gpt-4o');
    expect(table.resolve('openrouter/meta-llama/Llama-3').facts).toMatchObject({ window: 131_072 });
    expect(table.resolve('deepseek/deepseek-reasoner').quirks.echoReasoning).toBe('reasoning_content');
    expect(Object.keys(USUAL).filter((quirk) => !page.includes(`| \`${quirk}\``))).toEqual([]);
  });

  test('is JSON', () => {
    expect(mistakes('{')).toEqual([expect.stringContaining('is not JSON')]);
  });
});
