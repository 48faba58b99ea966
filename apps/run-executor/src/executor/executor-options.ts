import { type IsolatedProgram } from '../isolation/isolated-program.js';

/** How this process executes runs. */
export abstract class ExecutorOptions {
  /** Runs held at once; most of the time a run waits for its model. */
  abstract readonly slots: number;
  /** How long running runs may take to end by themselves when the process is told to stop, in milliseconds. */
  abstract readonly graceMs: number;
  /** True when this process holds the instance lock: every executor of an earlier process is dead. */
  abstract readonly isAlone: boolean;
  /** What acts a run apart from the others that has killed executors. */
  abstract readonly isolated: IsolatedProgram;
}
