import { PlatformError } from '@parley/core';
import { Endpoint } from './endpoint.js';
import { type ProviderName, type ProviderTable } from './provider.js';

/** Whom a handle means. */
export interface ModelTarget {
  provider: ProviderName;
  /** As the provider calls it. */
  model: string;
  endpoint: Endpoint;
}

/** The configured providers, and what handles mean among them. */
export class Providers {
  readonly #endpoints = new Map<string, Endpoint>();

  constructor(private readonly table: ProviderTable) {
    for (const [name, provider] of Object.entries(table.providers)) this.#endpoints.set(name, new Endpoint(provider));
  }

  /**
   * Whom a handle means:
   * 1. `p/m`, p a configured provider: its model `m`; m may hold slashes.
   * 2. `p` or `p/`, p a configured provider: that provider's default model.
   * 3. anything else, slashes or not (`gpt-4o`, `meta-llama/Llama-3`): that model of the default provider.
   * @throws PlatformError `invalid_input` when no model is named and the provider has no default one.
   */
  resolve(handle: string): ModelTarget {
    const slash = handle.indexOf('/');
    const prefix = slash === -1 ? handle : handle.slice(0, slash);
    const named = this.#endpoints.has(prefix);
    const provider = named ? prefix : this.table.default;
    const endpoint = this.#endpoints.get(provider);
    const rest = slash === -1 ? '' : handle.slice(slash + 1);
    const model = (named ? rest : handle) || this.table.providers[provider]?.defaultModel;
    if (endpoint && model) return { provider, model, endpoint };
    throw new PlatformError(
      'invalid_input',
      `model handle '${handle}' names no model, and provider '${provider}' has no default one; ` +
        `write '<provider>/<model>' (configured: ${[...this.#endpoints.keys()].join(', ')})`,
    );
  }
}
