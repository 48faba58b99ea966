import { Permits } from '../permits.js';

interface Waiter {
  max: number;
  resolve: (taken: number) => void;
}

/** The longest delay that `setTimeout` takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Permits of one process. All that are added in one event-loop tick are given out together, in one claim. */
export class InProcessPermits extends Permits {
  #count = 0;
  #giving = false;
  readonly #waiters: Waiter[] = [];

  async add(count: number, dueAt?: Date): Promise<void> {
    const wait = dueAt ? dueAt.getTime() - Date.now() : 0;
    if (wait > 0) {
      setTimeout(() => void this.add(count, dueAt), Math.min(wait, LONGEST_TIMER_MS)).unref();
      return;
    }
    this.#count += count;
    this.#giveSoon();
  }

  take(max: number, signal: AbortSignal): Promise<number> {
    if (signal.aborted) return Promise.resolve(0);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        max,
        resolve: (taken) => {
          signal.removeEventListener('abort', abort);
          resolve(taken);
        },
      };
      const abort = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        waiter.resolve(0);
      };
      signal.addEventListener('abort', abort);
      this.#waiters.push(waiter);
      this.#giveSoon();
    });
  }

  #giveSoon(): void {
    if (this.#giving || this.#count === 0 || this.#waiters.length === 0) return;
    this.#giving = true;
    setImmediate(() => {
      this.#giving = false;
      this.#give();
    });
  }

  #give(): void {
    while (this.#count > 0) {
      const waiter = this.#waiters.shift();
      if (!waiter) return;
      const taken = Math.min(this.#count, waiter.max);
      this.#count -= taken;
      waiter.resolve(taken);
    }
  }
}
