import { Injectable } from '@nestjs/common';
import { type ParsedOf, type readLog, type ResponseOf } from '@parley/contracts';
import { notFound } from '@parley/core';
import { type LogPage, RunLog } from '@parley/persistence';

/** Reads a page of a session's log. */
@Injectable()
export class ReadLog {
  constructor(private readonly log: RunLog) {}

  async execute({ after, limit, ...ref }: ParsedOf<typeof readLog>): Promise<ResponseOf<typeof readLog>> {
    const page = await this.log.read(ref, { after, limit });
    if (!page) throw notFound('session', ref.session);
    const { events, more, head, active } = page;
    return { events, more, spans: head.spans, active: active && shown(active) };
  }
}

const shown = ({ run, state, executor, epoch }: NonNullable<LogPage['active']>) => ({
  ...{ run, state },
  ...(executor !== null && { holder: { executor, epoch } }),
});
