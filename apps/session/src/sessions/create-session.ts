import { Injectable } from '@nestjs/common';
import { type createSession, type ParsedOf } from '@parley/contracts';
import { type Session } from '@parley/core';
import { SessionStore } from '@parley/persistence';
import { refuseLargeDescription } from './refuse-large-description.js';

/** Makes a session with an empty log; asking twice with one id gives that session. */
@Injectable()
export class CreateSession {
  constructor(private readonly sessions: SessionStore) {}

  async execute({ tenant, ...session }: ParsedOf<typeof createSession>): Promise<Session> {
    refuseLargeDescription(session);
    return await this.sessions.create(tenant, session);
  }
}
