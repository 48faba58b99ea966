import { type ExecutorConfig } from '../config.js';

/** How this process executes runs. */
export abstract class ExecutorOptions implements ExecutorConfig {
  abstract readonly slots: number;
  abstract readonly graceMs: number;
  /** True when this process holds the instance lock: every executor of an earlier process is dead. */
  abstract readonly isAlone: boolean;
}
