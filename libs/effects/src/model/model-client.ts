import { PlatformError } from '@parley/core';
import { type Outbound } from '@parley/outbound';
import { type Circuit } from './circuit.js';
import { Circuits, leftAlone } from './circuits.js';
import { Exchange, type ExchangeRequest, type ModelLimits } from './exchange.js';
import { type ModelOutcome, type ModelRequest } from './model-outcome.js';
import { blindTo } from './request/shown-images.js';
import { type ModelTarget, type Providers, type ProviderSummary } from './provider/providers.js';
import { quirksAfter, type Quirks } from './provider/quirks.js';

/** 10 s to connect, 60 s of silence, 8 MiB an event, 32 MiB an answer. */
export const DEFAULT_MODEL_LIMITS: ModelLimits = {
  connectMs: 10_000,
  idleMs: 60_000,
  eventBytes: 8_388_608,
  answerBytes: 33_554_432,
};

/** Calls models of OpenAI-compatible providers. */
export class ModelClient {
  readonly #limits: ModelLimits;
  /** Quirks that models have told of, by `provider/model`. */
  readonly #learned = new Map<string, Quirks>();

  constructor(
    private readonly outbound: Outbound,
    private readonly providers: Providers,
    limits: Partial<ModelLimits> = {},
    private readonly circuits = new Circuits(),
  ) {
    this.#limits = { ...DEFAULT_MODEL_LIMITS, ...limits };
  }

  /**
   * Asks a model once; whether to ask again is the caller's business. Whatever a provider does becomes an outcome:
   * only what the request's own functions throw is thrown.
   */
  async callModel(request: ModelRequest): Promise<ModelOutcome> {
    const target = this.#target(request.handle);
    if (target instanceof PlatformError) {
      return { ok: false, failure: { code: 'not_found', message: target.message, retryable: false, usage: null } };
    }
    const fault = blindTo(target, request.messages);
    if (fault !== undefined) {
      return { ok: false, failure: { code: 'unsupported_content', message: fault, retryable: false, usage: null } };
    }
    const call = this.#circuitOf(target).begin();
    if (!call) return { ok: false, failure: leftAlone(target.provider) };
    try {
      const outcome = await this.#ask(target, { ...request, onFirstByte: () => call.answers() });
      if (outcome.ok) call.ended(undefined);
      else call.ended(outcome.failure.code, outcome.failure.retryAfterMs);
      return outcome;
    } catch (error) {
      call.ended('aborted');
      throw error;
    }
  }

  /** A refusal that names a quirk is met once with the quirk, which is then known; nothing was shown yet. */
  async #ask(target: ModelTarget, request: ExchangeRequest): Promise<ModelOutcome> {
    const key = `${target.provider}/${target.model}`;
    const quirks = this.#learned.get(key) ?? target.quirks;
    const outcome = await this.#exchange({ ...target, quirks }, request);
    if (outcome.ok || outcome.failure.code !== 'bad_request') return outcome;
    const mended = quirksAfter(quirks, outcome.failure.message);
    if (!mended) return outcome;
    this.#learned.set(key, mended);
    return this.#exchange({ ...target, quirks: mended }, request);
  }

  #exchange(target: ModelTarget, request: ExchangeRequest): Promise<ModelOutcome> {
    return new Exchange(this.outbound, target, request, this.#limits).run();
  }

  /** How long a model's provider is left alone because it fails again and again, in milliseconds; 0: it may be asked. */
  pauseMs(handle: string): number {
    const target = this.#target(handle);
    return target instanceof PlatformError ? 0 : this.#circuitOf(target).pauseMs;
  }

  /** Whether it is known what a call of the model costs; one that cannot be made costs nothing. */
  isPriced(handle: string): boolean {
    const target = this.#target(handle);
    return target instanceof PlatformError || target.facts.price !== undefined;
  }

  /** The configured providers, by name, without their secrets. */
  listProviders(): { default: string; providers: (ProviderSummary & { pausedMs: number })[] } {
    const { defaultName, summaries } = this.providers;
    const providers = summaries.map((one) => ({ ...one, pausedMs: this.circuits.of(one.name).pauseMs }));
    return { default: defaultName, providers };
  }

  #circuitOf({ provider }: ModelTarget): Circuit {
    return this.circuits.of(provider);
  }

  /** An agent may outlive the provider that its handle names. */
  #target(handle: string): ModelTarget | PlatformError {
    try {
      return this.providers.resolve(handle);
    } catch (error) {
      return PlatformError.from(error);
    }
  }
}
