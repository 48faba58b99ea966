import { inspect } from 'node:util';
import { PlatformError } from '@parley/core';
import { ProviderTable } from './provider.js';
import { Providers } from './providers.js';

const KEY = 'sk-canary-0123456789';
const TOKEN = 'canary-header-value';

const table = (changes: object = {}): ProviderTable =>
  ProviderTable.parse({
    default: 'openai',
    providers: {
      openai: { baseUrl: 'https://api.openai.com/v1', apiKey: KEY },
      simulator: { baseUrl: 'http://127.0.0.1:9/v1/', defaultModel: 'sim-20-0' },
      azure: { baseUrl: 'https://x.example/openai/v1?api-version=2', headers: { 'Api-Key': TOKEN } },
    },
    ...changes,
  });
const providers = new Providers(table());

describe('a handle', () => {
  test.each([
    ['openai/gpt-4o', 'openai', 'gpt-4o'],
    ['simulator/sim-20-0', 'simulator', 'sim-20-0'],
    ['openai/ft:gpt/4o/x', 'openai', 'ft:gpt/4o/x'],
    ['simulator', 'simulator', 'sim-20-0'],
    ['simulator/', 'simulator', 'sim-20-0'],
    ['gpt-4o', 'openai', 'gpt-4o'],
    ['meta-llama/Llama-3', 'openai', 'meta-llama/Llama-3'],
    ['constructor/x', 'openai', 'constructor/x'],
    ['/x', 'openai', '/x'],
  ])('%s means %s: %s', (handle, provider, model) => {
    expect(providers.resolve(handle)).toMatchObject({ provider, model });
  });

  test.each(['openai', 'openai/', ''])("'%s' is refused: it names no model, and no default is known", (handle) => {
    const refused = (): unknown => providers.resolve(handle);
    expect(refused).toThrow(PlatformError);
    expect(refused).toThrow(/'openai' has no default one.*configured: openai, simulator, azure/);
  });
});

describe('a provider', () => {
  test.each([
    ['openai/x', 'https://api.openai.com/v1/chat/completions'],
    ['simulator/x', 'http://127.0.0.1:9/v1/chat/completions'],
    ['azure/x', 'https://x.example/openai/v1/chat/completions?api-version=2'],
  ])('is asked at its base URL, query and all (%s)', (handle, url) => {
    expect(providers.resolve(handle).endpoint.to('chat/completions').url.href).toBe(url);
  });

  test('is sent its key, its own headers, and no key where it has none', () => {
    const headersOf = (handle: string): object => providers.resolve(handle).endpoint.to('chat/completions').headers;
    expect(headersOf('openai/x')).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(headersOf('simulator/x')).not.toHaveProperty('authorization');
    expect(headersOf('azure/x')).toMatchObject({ 'api-key': TOKEN });
  });

  test('is listed without its secrets', () => {
    expect(providers.defaultName).toBe('openai');
    expect(providers.summaries.map(({ name }) => name)).toEqual(['azure', 'openai', 'simulator']);
    expect(providers.summaries[0]).toEqual({
      name: 'azure',
      baseUrl: 'https://x.example/openai/v1',
      hasKey: false,
      headers: ['Api-Key'],
      defaultModel: null,
      quirks: {},
      models: {},
    });
    expect(JSON.stringify(providers.summaries)).not.toMatch(/canary/);
  });

  test('is listed with what is known of the models that it names: its own word over the built-in one', () => {
    const openai = { baseUrl: 'http://x', defaultModel: 'o3', models: { 'gpt-5': { window: 9 }, 'llama*': {} } };
    const [summary] = new Providers(ProviderTable.parse({ default: 'openai', providers: { openai } })).summaries;
    expect(summary?.models).toEqual({
      o3: expect.objectContaining({ window: 200_000, maxOutput: 100_000 }),
      'gpt-5': expect.objectContaining({ window: 9, maxOutput: 128_000, price: expect.anything() }),
      'llama*': {},
    });
  });

  test('keeps its secrets to itself, however it is printed', () => {
    const target = providers.resolve('azure/x');
    for (const shown of [table(), providers, target].flatMap((one) => [
      inspect(one, { depth: 9 }),
      JSON.stringify(one),
    ])) {
      expect(shown).not.toContain('canary');
    }
  });

  test('may say what it likes: keys are taken out, length is bounded, pairs stay whole', () => {
    const { endpoint } = providers.resolve('openai/x');
    const said = `Wrong key ${KEY}, not sk-proj-abc***xyz nor Bearer abcdef123456. \u0000 ${'😀'.repeat(2_000)}`;
    const message = endpoint.presentable(said);
    expect(message).toMatch(/^Wrong key \[secret\], not \[secret\] nor \[secret\] \uFFFD 😀/);
    expect(message.length).toBeLessThanOrEqual(2_048);
    expect(message.isWellFormed()).toBe(true);
    expect(providers.resolve('azure/x').endpoint.presentable(`<${TOKEN}>`)).toBe('<[secret]>');
  });
});

describe('the provider table', () => {
  test.each([
    ['a name with a slash', { providers: { 'a/b': { baseUrl: 'http://x' } } }],
    ['an address that is none', { providers: { openai: { baseUrl: 'api.openai.com' } } }],
    ['an address of another protocol', { providers: { openai: { baseUrl: 'ftp://x' } } }],
    ['an address with a user', { providers: { openai: { baseUrl: 'http://u:p@x' } } }],
    ['a key that no header can hold', { providers: { openai: { baseUrl: 'http://x', apiKey: 'a\nb' } } }],
    ['an empty key', { providers: { openai: { baseUrl: 'http://x', apiKey: ' ' } } }],
    ['a header name that is none', { providers: { openai: { baseUrl: 'http://x', headers: { 'a b': 'c' } } } }],
    ['a field that is not known', { providers: { openai: { baseUrl: 'http://x', key: 'a' } } }],
    ['a default that is not configured', { default: 'other' }],
  ])('refuses %s', (_, changes) => {
    expect(() => table(changes)).toThrow();
  });
});
