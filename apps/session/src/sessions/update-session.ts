import { Injectable } from '@nestjs/common';
import { type ParsedOf, type updateSession } from '@parley/contracts';
import { notFound, type Session } from '@parley/core';
import { SessionStore } from '@parley/persistence';
import { refuseLargeDescription } from './refuse-large-description.js';

/** Changes what a session is called and described by; a run that is under way goes on. */
@Injectable()
export class UpdateSession {
  constructor(private readonly sessions: SessionStore) {}

  async execute({ tenant, id, change }: ParsedOf<typeof updateSession>): Promise<Session> {
    refuseLargeDescription(change);
    const session = await this.sessions.update(tenant, id, change);
    if (!session) throw notFound('session', id);
    return session;
  }
}
