import { type Executor } from '@parley/run-executor';
import { DirectHandOver, type ReservedSlot } from '@parley/session';

/** Hands admitted runs to the executor of the same process; until there is one, they queue. */
export class ExecutorHandOver extends DirectHandOver {
  private executor: Executor | undefined;

  /** From now on runs go to this executor. */
  bind(executor: Executor): void {
    this.executor = executor;
  }

  reserve(): ReservedSlot | undefined {
    return this.executor?.reserve();
  }
}
