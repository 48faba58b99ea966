import { type ModelFailureCode } from './model-failure.js';

/** Failures in a row after which a provider is left alone. */
const FAILURES = 5;
/** How long it is left alone at first, and at most, in milliseconds; twice as long each time it fails its trial. */
const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;
/** While one call tries whether the provider is back, others look again after so long, in milliseconds. */
const TRIAL_MS = 1_500;

/** Failures that say something of the provider, not of the request. */
const OF_PROVIDER: ReadonlySet<ModelFailureCode> = new Set([
  'unreachable',
  'timeout',
  'rate_limited',
  'overloaded',
  'server_error',
]);

/** A call that was let through tells what becomes of it. */
export interface CircuitCall {
  /** The provider has begun to answer: may be told again and again. */
  answers(): void;
  /** `undefined`: with an answer. `retryAfterMs`: what the provider asked to wait. */
  ended(code: ModelFailureCode | undefined, retryAfterMs?: number): void;
}

/**
 * Leaves a provider alone that fails again and again, for everybody's sake: closed it lets every call through; after five
 * failures in a row it is open, and lets none; when that time is over one call tries, and closes it or opens it for
 * longer. The first word of that call lets the others through, since its answer may take minutes.
 */
export class Circuit {
  #failures = 0;
  #openedTimes = 0;
  /** Open, or on trial, until somebody succeeds. */
  #isClosed = true;
  #openUntil = 0;
  #onTrial = false;

  /** @param now a clock in milliseconds that never goes back. */
  constructor(private readonly now: () => number) {}

  /** How long no call should be made, in milliseconds; 0: one may be made now. */
  get pauseMs(): number {
    if (this.#isClosed) return 0;
    return this.#onTrial ? TRIAL_MS : Math.max(0, Math.ceil(this.#openUntil - this.now()));
  }

  /** Lets a call through, or not. @returns undefined: it must not be made. */
  begin(): CircuitCall | undefined {
    if (this.pauseMs > 0) return undefined;
    let isTrial = !this.#isClosed;
    this.#onTrial = isTrial;
    return {
      answers: () => {
        if (!isTrial) return;
        isTrial = this.#onTrial = false;
        this.#letThrough();
      },
      ended: (code, retryAfterMs = 0) => {
        if (isTrial) this.#onTrial = false;
        if (code === 'aborted') return;
        if (code === undefined || !OF_PROVIDER.has(code)) return this.#close();
        this.#failures++;
        if (isTrial || (this.#isClosed && this.#failures >= FAILURES)) this.#open(retryAfterMs);
      },
    };
  }

  /** On trust: until somebody succeeds one more failure opens it again, for longer. */
  #letThrough(): void {
    this.#isClosed = true;
    this.#failures = FAILURES - 1;
  }

  #close(): void {
    this.#isClosed = true;
    this.#failures = 0;
    this.#openedTimes = 0;
  }

  #open(retryAfterMs: number): void {
    const ms = Math.max(FIRST_MS * 2 ** this.#openedTimes++, retryAfterMs);
    this.#isClosed = false;
    this.#openUntil = this.now() + Math.min(ms, LONGEST_MS);
  }
}
