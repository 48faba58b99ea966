import { type ClaimedRun, type ExecutorId } from '@parley/persistence';

/** A free slot of an executor, kept for one run. Exactly one of the two is called. */
export interface ReservedSlot {
  readonly executor: ExecutorId;
  /** Gives it the run, which was written as claimed by that executor. */
  fill(run: ClaimedRun): void;
  /** There is no run for it. */
  giveBack(): void;
}

/**
 * Where admission and an executor share a process, a new run goes straight into its hands: written as claimed, so that
 * no queue and no second trip to the database stand before the first token (DESIGN §6).
 */
export abstract class DirectHandOver {
  /** Keeps a slot of this process's executor; undefined: none is free, or there is no executor. */
  abstract reserve(): ReservedSlot | undefined;
}

/** For a process without an executor: every run queues. */
export class NoHandOver extends DirectHandOver {
  reserve(): undefined {
    return undefined;
  }
}
