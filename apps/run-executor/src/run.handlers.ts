import { Controller, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { runNudged, tailRun, type ParsedOf, type ResponseOf } from '@parley/contracts';
import { Bus, Handles } from '@parley/messaging';
import { Executor } from './executor/executor.js';

/** What others ask of the runs that this process holds, and tell it of them. */
@Controller()
export class RunHandlers implements OnModuleInit, OnModuleDestroy {
  #unsubscribe: (() => void) | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly executor: Executor,
  ) {}

  onModuleInit(): void {
    this.#unsubscribe = this.bus.subscribe(runNudged, (nudged) => this.executor.nudge(nudged));
  }

  onModuleDestroy(): void {
    this.#unsubscribe?.();
  }

  @Handles(tailRun)
  async tail(request: ParsedOf<typeof tailRun>): Promise<ResponseOf<typeof tailRun>> {
    return { frames: this.executor.tail(request) };
  }
}
