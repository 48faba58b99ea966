import { type DeltaFrame } from '@parley/core';
import { type ClaimedRun } from '@parley/persistence';

/** A run in this process's hands, acted here or by a child of this process. */
export interface HeldRun {
  readonly claimed: ClaimedRun;
  /** On the clock of `performance.now()`. */
  readonly receivedAt: number;
  /** While an answer of the log is awaited nobody knows whether the run is still held here. */
  readonly isWriting: boolean;
  /** The message in the making, as it was shown so far. */
  readonly tail: readonly DeltaFrame[];
  /** Resolves when this holder has no more to do with the run. Never rejects. */
  run(): Promise<void>;
  /** Facts may wait in the inbox. */
  nudge(): void;
  /** Called a few times a second. */
  tick(): void;
  /** Gives the run back to the queue before its next effect. */
  handBack(): void;
  /** Lets go of a run that another has, or will have. */
  drop(reason: string): void;
}
