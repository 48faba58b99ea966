import { Injectable } from '@nestjs/common';
import { type listDeadLetters, type ParsedOf } from '@parley/contracts';
import { type DeadLetter, type Page } from '@parley/core';
import { RunLog } from '@parley/persistence';

/** Lists a tenant's dead letters, the newest first. */
@Injectable()
export class ListDeadLetters {
  constructor(private readonly log: RunLog) {}

  execute({ tenant, ...from }: ParsedOf<typeof listDeadLetters>): Promise<Page<DeadLetter>> {
    return this.log.deadLetters(tenant, from);
  }
}
