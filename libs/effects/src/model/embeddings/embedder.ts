import { PlatformError, type Usage } from '@parley/core';
import { type Outbound } from '@parley/outbound';
import { type Circuits, leftAlone } from '../circuits.js';
import { DEFAULT_MODEL_LIMITS } from '../model-client.js';
import { type ModelFailure } from '../model-failure.js';
import { type ModelTarget, type Providers } from '../provider/providers.js';
import { sumOf } from '../reply/token-usage.js';
import { batchesOf } from './batches.js';
import { EmbedExchange, type EmbedLimits } from './embed-exchange.js';
import { type Embedded, type EmbedOutcome, type EmbedRequest } from './embed-outcome.js';

/** Makes vectors of texts, with the models of OpenAI-compatible providers. */
export class Embedder {
  readonly #limits: EmbedLimits;

  /** @param circuits those of the client that calls the same providers' models. */
  constructor(
    private readonly outbound: Outbound,
    private readonly providers: Providers,
    private readonly circuits: Circuits,
    limits: Partial<EmbedLimits> = {},
  ) {
    this.#limits = { ...DEFAULT_MODEL_LIMITS, ...limits };
  }

  /**
   * Asks for the vectors of all texts, a portion at a time, each once; whether to ask again is the caller's business.
   * Whatever a provider does becomes an outcome; vectors of a part of the texts are none.
   * @throws PlatformError `invalid_input` for texts that no provider takes.
   */
  async embed(request: EmbedRequest): Promise<EmbedOutcome> {
    check(request.texts);
    const target = this.#target(request.handle);
    if (target instanceof PlatformError) {
      return { ok: false, failure: { code: 'not_found', message: target.message, retryable: false, usage: null } };
    }
    let embedded: Embedded | undefined;
    for (const texts of batchesOf(request.texts)) {
      const outcome = await this.#ask(expecting(target, embedded), { ...request, texts });
      if (!outcome.ok) return afterSpending(embedded?.usage, outcome.failure);
      embedded = embedded ? joined(embedded, outcome.embedded) : outcome.embedded;
    }
    if (!embedded) throw new PlatformError('internal', 'there were no texts');
    return { ok: true, embedded };
  }

  async #ask(target: ModelTarget, request: EmbedRequest): Promise<EmbedOutcome> {
    const call = this.circuits.of(target.provider).begin();
    if (!call) return { ok: false, failure: leftAlone(target.provider) };
    const outcome = await new EmbedExchange(this.outbound, target, request, this.#limits).run();
    if (outcome.ok) call.ended(undefined);
    else call.ended(outcome.failure.code, outcome.failure.retryAfterMs);
    return outcome;
  }

  /** A store of vectors may outlive the provider that its handle names. */
  #target(handle: string): ModelTarget | PlatformError {
    try {
      return this.providers.resolve(handle);
    } catch (error) {
      return PlatformError.from(error);
    }
  }
}

const check = (texts: readonly string[]): void => {
  if (texts.length === 0) throw new PlatformError('invalid_input', 'texts: there are none; give at least one');
  const empty = texts.findIndex((text) => text.trim() === '');
  if (empty === -1) return;
  throw new PlatformError('invalid_input', `texts[${empty}]: is empty, which no provider takes; leave it out`);
};

/** What came before says how long the vectors have to be that follow. */
const expecting = (target: ModelTarget, before: Embedded | undefined): ModelTarget => {
  const dimensions = before?.vectors[0]?.length ?? target.facts.dimensions;
  return { ...target, facts: { ...target.facts, dimensions } };
};

const joined = (before: Embedded, last: Embedded): Embedded => ({
  ...last,
  vectors: [...before.vectors, ...last.vectors],
  usage: sumOf(before.usage, last.usage),
});

const afterSpending = (spent: Usage | undefined, failure: ModelFailure): EmbedOutcome => {
  const usage = spent && failure.usage ? sumOf(spent, failure.usage) : (failure.usage ?? spent ?? null);
  return { ok: false, failure: { ...failure, usage } };
};
