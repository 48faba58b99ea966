/**
 * Permits to claim: one per run that has become due, so that an executor with a free slot need not poll. A permit is a
 * hint, never the work itself: which run it leads to the claim decides, and a lost one costs at most the 500 ms after
 * which every executor with free slots claims anyway (DESIGN §6).
 */
export abstract class Permits {
  /** Rings for `count` runs; with `dueAt`, not before then. */
  abstract add(count: number, dueAt?: Date): Promise<void>;

  /** Waits for at least one permit, then takes all there are, up to `max`. 0 when `signal` ends the wait. */
  abstract take(max: number, signal: AbortSignal): Promise<number>;
}
