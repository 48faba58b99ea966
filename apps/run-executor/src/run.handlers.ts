import { Controller, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { runNudged, tailRun, type ParsedOf, type ResponseOf } from '@parley/contracts';
import { type DeltaFrame } from '@parley/core';
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
    return pageOf(this.executor.tail(request), request.after ?? 0);
  }
}

/** What a page of a tail may weigh, in bytes of JSON. */
const MAX_PAGE = 524_288;

const pageOf = (tail: readonly DeltaFrame[], after: number): ResponseOf<typeof tailRun> => {
  const frames: DeltaFrame[] = [];
  let size = 0;
  for (const frame of tail) {
    if (frame.id <= after) continue;
    size += Buffer.byteLength(JSON.stringify(frame));
    if (size > MAX_PAGE && frames.length > 0) return { frames, more: true };
    frames.push(frame);
  }
  return { frames };
};
