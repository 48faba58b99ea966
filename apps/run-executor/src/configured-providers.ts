import { type Provider, type ProviderFile } from '@parley/effects';
import { type Secret } from '@parley/host';

const OPENAI_URL = 'https://api.openai.com/v1';

/** What the environment says of models. */
export interface ModelSettings {
  openai: { apiKey?: Secret | undefined; baseUrl?: string | undefined; model: string };
  providers: ProviderFile;
}

/** The providers that the environment names: `openai` where it has a key or an address, then those of the file. */
export const configuredProviders = ({ openai, providers: file }: ModelSettings): Record<string, Provider> => {
  const real = openai.apiKey !== undefined || openai.baseUrl !== undefined;
  const provider: Provider = {
    baseUrl: openai.baseUrl ?? OPENAI_URL,
    defaultModel: openai.model,
    ...(openai.apiKey && { apiKey: openai.apiKey }),
  };
  return { ...(real && { openai: provider }), ...file.providers };
};
