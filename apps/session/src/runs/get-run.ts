import { Injectable } from '@nestjs/common';
import { type getRun, type ParsedOf } from '@parley/contracts';
import { notFound, type Run } from '@parley/core';
import { RunLog } from '@parley/persistence';

/** Finds a run by its row. */
@Injectable()
export class GetRun {
  constructor(private readonly log: RunLog) {}

  async execute({ tenant, id }: ParsedOf<typeof getRun>): Promise<Run> {
    const run = await this.log.getRun(tenant, id);
    if (!run) throw notFound('run', id);
    return run;
  }
}
