import { JsonObject, PlatformError } from '@parley/core';
import { Endpoint } from './endpoint.js';
import { factsOf, type ModelFacts } from './model-facts.js';
import { type ProviderName, type ProviderTable } from './provider.js';
import { type Quirks, USUAL } from './quirks.js';

/** Whom a handle means. */
export interface ModelTarget {
  handle: string;
  provider: ProviderName;
  /** As the provider calls it. */
  model: string;
  endpoint: Endpoint;
  facts: ModelFacts;
  quirks: Quirks;
  /** The names that the handle could have begun with. */
  providers: readonly ProviderName[];
}

/** A provider as it is configured, without its secrets. */
export interface ProviderSummary {
  name: ProviderName;
  /** Without its query, which may hold secrets. */
  baseUrl: string;
  hasKey: boolean;
  /** Names of its headers. */
  headers: string[];
  defaultModel: string | null;
  quirks: JsonObject;
  /** What is known of the models that its configuration names, by name or by `prefix*`. */
  models: Record<string, JsonObject>;
}

/** The configured providers, and what handles mean among them. */
export class Providers {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #names: readonly ProviderName[];

  constructor(private readonly table: ProviderTable) {
    for (const [name, provider] of Object.entries(table.providers)) this.#endpoints.set(name, new Endpoint(provider));
    this.#names = [...this.#endpoints.keys()];
  }

  /** The provider of handles that name none. */
  get defaultName(): ProviderName {
    return this.table.default;
  }

  /** All of them, by name. */
  get summaries(): ProviderSummary[] {
    return Object.entries(this.table.providers)
      .map(([name, { baseUrl, apiKey, headers = {}, defaultModel = null, quirks = {}, models = {} }]) => ({
        name,
        baseUrl: withoutQuery(baseUrl),
        hasKey: apiKey !== undefined,
        headers: Object.keys(headers).sort(),
        defaultModel,
        quirks: JsonObject.parse(quirks),
        models: known(models, defaultModel),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
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
    if (endpoint && model) {
      return { handle, provider, model, endpoint, providers: this.#names, ...this.#known(provider, model) };
    }
    throw new PlatformError(
      'invalid_input',
      `model handle '${handle}' names no model, and provider '${provider}' has no default one; ` +
        `write '<provider>/<model>' (configured: ${this.#names.join(', ')})`,
    );
  }

  #known(provider: ProviderName, model: string): Pick<ModelTarget, 'facts' | 'quirks'> {
    const { quirks, models } = this.table.providers[provider] ?? {};
    const facts = factsOf(model, models);
    return { facts, quirks: Object.assign({}, USUAL, quirks, facts.quirks) };
  }
}

const known = (models: Record<string, ModelFacts>, defaultModel: string | null): Record<string, JsonObject> => {
  const named = new Set([...(defaultModel === null ? [] : [defaultModel]), ...Object.keys(models)]);
  return Object.fromEntries([...named].map((model) => [model, JsonObject.parse(factsOf(model, models))]));
};

const withoutQuery = (address: string): string => {
  const url = new URL(address);
  url.search = '';
  return url.href;
};
