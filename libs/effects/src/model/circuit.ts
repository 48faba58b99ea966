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

/** Tells how a call ended: `undefined`, with an answer. `retryAfterMs`: what the provider asked to wait. */
export type EndOfCall = (code: ModelFailureCode | undefined, retryAfterMs?: number) => void;

/**
 * Leaves a provider alone that fails again and again, for everybody's sake: closed it lets every call through; after five
 * failures in a row it is open, and lets none; when that time is over one call tries, and closes it or opens it for
 * longer.
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

  /** Lets a call through, or not. @returns how to tell what became of it; undefined: it must not be made. */
  begin(): EndOfCall | undefined {
    if (this.pauseMs > 0) return undefined;
    const isTrial = !this.#isClosed;
    this.#onTrial = isTrial;
    return (code, retryAfterMs = 0) => {
      if (isTrial) this.#onTrial = false;
      if (code === 'aborted') return;
      if (code === undefined || !OF_PROVIDER.has(code)) return this.#close();
      this.#failures++;
      if (isTrial || (this.#isClosed && this.#failures >= FAILURES)) this.#open(retryAfterMs);
    };
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
