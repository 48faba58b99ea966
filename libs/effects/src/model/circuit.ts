import { type ModelFailureCode } from './model-failure.js';

/** Failures in a row after which a provider is left alone. */
const FAILURES = 5;
/** How long it is left alone at first, and at most, in milliseconds; twice as long each time it fails its trial. */
const FIRST_MS = 2_000;
const LONGEST_MS = 60_000;
/** While one call tries whether the provider is back, others look again after so long, in milliseconds. */
const TRIAL_MS = 1_500;

/** Failures that say that the provider cannot be had. Of the others none says whether it can. */
const UNAVAILABLE: ReadonlySet<ModelFailureCode> = new Set([
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
 * longer. The first byte of that call's answer lets the others through, since the rest may take minutes. How a call ends
 * counts only while nothing has opened or closed since it began: what was under way when it opened tells nothing new.
 */
export class Circuit {
  #failures = 0;
  #openedTimes = 0;
  /** Open, or on trial, until the provider answers. */
  #isClosed = true;
  #openUntil = 0;
  #onTrial = false;
  /** Counts how often it was opened and closed. */
  #phase = 0;

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
    let phase = this.#phase;
    this.#onTrial = isTrial;
    return {
      answers: () => {
        if (!isTrial) return;
        isTrial = false;
        this.#close();
        // On trust: until somebody succeeds one more failure opens it again, for longer.
        this.#failures = FAILURES - 1;
        phase = this.#phase;
      },
      ended: (code, retryAfterMs = 0) => {
        if (isTrial) this.#onTrial = false;
        if (code === undefined) this.#openedTimes = 0;
        if (phase !== this.#phase) return;
        if (code === undefined) this.#close();
        else if (UNAVAILABLE.has(code)) this.#fail(isTrial, retryAfterMs);
      },
    };
  }

  #fail(isTrial: boolean, retryAfterMs: number): void {
    this.#failures++;
    if (!isTrial && this.#failures < FAILURES) return;
    const ms = Math.max(FIRST_MS * 2 ** this.#openedTimes++, retryAfterMs);
    this.#isClosed = false;
    this.#openUntil = this.now() + Math.min(ms, LONGEST_MS);
    this.#phase++;
  }

  #close(): void {
    this.#failures = 0;
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onTrial = false;
    this.#phase++;
  }
}
