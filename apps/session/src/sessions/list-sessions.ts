import { Injectable } from '@nestjs/common';
import { type listSessions, type ParsedOf } from '@parley/contracts';
import { type Page, type Session } from '@parley/core';
import { SessionStore } from '@parley/persistence';

/** Lists the sessions of an agent, newest first. */
@Injectable()
export class ListSessions {
  constructor(private readonly sessions: SessionStore) {}

  execute({ tenant, ...query }: ParsedOf<typeof listSessions>): Promise<Page<Session>> {
    return this.sessions.list(tenant, query);
  }
}
