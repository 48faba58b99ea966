import { factsOf } from './model-facts.js';
import { ProviderTable } from './provider.js';
import { Providers } from './providers.js';
import { quirksAfter, USUAL } from './quirks.js';

describe('what is known of a model', () => {
  test('comes from the built-in list, with or without a date', () => {
    const known = {
      window: 128_000,
      maxOutput: 16_384,
      price: { input: 2.5, cachedInput: 1.25, output: 10 },
      capabilities: { vision: true, tools: true, reasoning: false, structuredOutput: true },
    };
    expect(factsOf('gpt-4o')).toEqual(known);
    expect(factsOf('gpt-4o-2024-08-06')).toEqual(known);
    expect(factsOf('gpt-4o-2024-05-13')).toMatchObject({ maxOutput: 4_096, price: { input: 5, output: 15 } });
    expect(factsOf('text-embedding-3-small')).toEqual({
      window: 8_192,
      dimensions: 1_536,
      price: { input: 0.02, cachedInput: 0.02, output: 0 },
    });
    expect(factsOf('gpt-4o-unheard-of')).toEqual({});
    expect(factsOf('constructor')).toEqual({});
  });

  test('is what the operator says first: by name, then by the longest prefix', () => {
    const own = {
      'llama*': { window: 1 },
      'llama-3*': { window: 3 },
      'llama-3-8b': { window: 8 },
      'gpt-4o': { window: 9 },
    };
    const windows = ['llama-2', 'llama-3-70b', 'llama-3-8b', 'mistral'].map((name) => factsOf(name, own).window);
    expect(windows).toEqual([1, 3, 8, undefined]);
    expect(factsOf('gpt-4o', own)).toMatchObject({ window: 9, price: { output: 10 } });
  });

  test('is weighed by the single capability: what the operator says of one leaves the others', () => {
    const own = { 'gpt-5*': { capabilities: { vision: false } }, plain: { capabilities: { tools: false } } };
    const known = { vision: true, tools: true, reasoning: true, structuredOutput: true };
    expect(factsOf('gpt-5-mini', own).capabilities).toEqual({ ...known, vision: false });
    expect(factsOf('gpt-5-mini').capabilities).toEqual(known);
    expect(factsOf('plain', own)).toEqual({ capabilities: { tools: false } });
    expect(factsOf('other', own)).toEqual({});
  });

  test('has the quirks of its provider under its own', () => {
    const table = ProviderTable.parse({
      default: 'deepseek',
      providers: {
        deepseek: {
          baseUrl: 'https://api.deepseek.example',
          quirks: { maxTokensField: 'max_tokens', systemRole: 'developer' },
          models: { 'reasoner*': { quirks: { echoReasoning: 'reasoning_content', systemRole: 'system' } } },
        },
      },
    });
    const { quirks } = new Providers(table).resolve('deepseek/reasoner-2');
    expect(quirks).toEqual({ ...USUAL, maxTokensField: 'max_tokens', echoReasoning: 'reasoning_content' });
  });
});

describe('a refusal', () => {
  test.each([
    ['Unrecognized request argument supplied: stream_options', { streamOptions: false }],
    ["Unsupported parameter: 'max_completion_tokens'.", { maxTokensField: 'max_tokens' as const }],
  ])('that names a quirk tells it: %s', (refusal, learned) => {
    expect(quirksAfter(USUAL, refusal)).toEqual({ ...USUAL, ...learned });
  });

  test('tells the way back, too', () => {
    const old = { ...USUAL, maxTokensField: 'max_tokens' as const, systemRole: 'developer' as const };
    expect(quirksAfter(old, "'max_tokens' is not supported, use 'max_completion_tokens' instead")).toEqual({
      ...old,
      maxTokensField: 'max_completion_tokens',
    });
    expect(quirksAfter(old, "unknown role 'developer'")).toEqual({ ...old, systemRole: 'system' });
  });

  test.each(['temperature must be at most 2', 'bad request', ''])('that names none tells none: %s', (refusal) => {
    expect(quirksAfter(USUAL, refusal)).toBeUndefined();
  });
});
