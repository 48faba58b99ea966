import { ModelFault, type ModelFailureCode } from '../model-failure.js';
import { ProviderTable } from '../provider/provider.js';
import { Providers } from '../provider/providers.js';
import { failureOf } from './failure-of.js';

const KEY = 'sk-canary-0123456789';
const providers = new Providers(
  ProviderTable.parse({
    default: 'openai',
    providers: {
      openai: { baseUrl: 'https://api.openai.com/v1?key=canary', apiKey: KEY, defaultModel: 'gpt-4o' },
      simulator: { baseUrl: 'http://127.0.0.1:9/v1', headers: { 'x-team': 'canary' } },
    },
  }),
);

describe('the failure of a call', () => {
  const messageOf = (handle: string, code: ModelFailureCode, message = 'HTTP 404: no such model'): string => {
    const call = { target: providers.resolve(handle), silence: undefined, usage: null };
    return failureOf(new ModelFault(code, message), { ...call, signal: new AbortController().signal }).message;
  };
  const another = "another is named as '<provider>/<model>' (providers: openai, simulator): HTTP 404: no such model";

  test.each<[string, ModelFailureCode, string]>([
    ['opnai/gpt-4o', 'not_found', "openai: asked for model 'opnai/gpt-4o', since no provider is called 'opnai'; "],
    ['opnai/gpt-4o', 'bad_request', "openai: asked for model 'opnai/gpt-4o', since no provider is called 'opnai'; "],
    ['gpt-5o', 'not_found', "openai: asked for model 'gpt-5o', as the default provider; "],
    ['openai/gpt-5o', 'not_found', "openai: asked for model 'gpt-5o'; "],
    ['openai', 'not_found', "openai: asked for model 'gpt-4o'; "],
    ['simulator/a/b', 'not_found', "simulator: asked for model 'a/b'; "],
  ])('says of %s, %s, what was asked for, and how to name another', (handle, code, told) => {
    expect(messageOf(handle, code)).toBe(told + another);
  });

  test.each<[string, ModelFailureCode]>([
    ['openai/gpt-4o', 'bad_request'],
    ['gpt-4o', 'bad_request'],
    ['opnai/gpt-4o', 'overloaded'],
    ['opnai/gpt-4o', 'auth'],
  ])('says no more than the provider where the handle is not to blame: %s, %s', (handle, code) => {
    expect(messageOf(handle, code)).toBe('openai: HTTP 404: no such model');
  });

  test('tells no secret, and stays bounded whatever the handle and the provider say', () => {
    const message = messageOf(`${'x'.repeat(9_000)}/m`, 'not_found', `${KEY} ${'y'.repeat(9_000)}`);
    expect(message).toContain(`(providers: openai, simulator): [secret] yyy`);
    expect(message).not.toContain('canary');
    expect(message).toHaveLength(2_048);
  });
});
