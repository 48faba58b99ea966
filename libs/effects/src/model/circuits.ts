import { Circuit } from './circuit.js';
import { type ModelFailure } from './model-failure.js';
import { type ProviderName } from './provider/provider.js';

/** The circuits of a process's providers: whoever calls them, by whatever operation, sees the same. */
export class Circuits {
  readonly #known = new Map<ProviderName, Circuit>();

  /** That of one provider. */
  of(provider: ProviderName): Circuit {
    let circuit = this.#known.get(provider);
    if (!circuit) this.#known.set(provider, (circuit = new Circuit(() => performance.now())));
    return circuit;
  }
}

/** What becomes of a call that a circuit does not let through. */
export const leftAlone = (provider: ProviderName): ModelFailure => {
  const message = `${provider}: has failed again and again, and is left alone for a while`;
  return { code: 'circuit_open', message, retryable: true, usage: null };
};
