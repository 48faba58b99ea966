import { Injectable } from '@nestjs/common';
import { type ParsedOf, type readLog, type ResponseOf } from '@parley/contracts';
import { notFound } from '@parley/core';
import { RunLog } from '@parley/persistence';

/** Reads a page of a session's log. */
@Injectable()
export class ReadLog {
  constructor(private readonly log: RunLog) {}

  async execute({ after, limit, ...ref }: ParsedOf<typeof readLog>): Promise<ResponseOf<typeof readLog>> {
    const page = await this.log.read(ref, { after, limit });
    if (!page) throw notFound('session', ref.session);
    const { events, more, head, active } = page;
    return { events, more, spans: head.spans, active };
  }
}
