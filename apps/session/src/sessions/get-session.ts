import { Injectable } from '@nestjs/common';
import { type getSession, type ParsedOf } from '@parley/contracts';
import { notFound, type Session } from '@parley/core';
import { SessionStore } from '@parley/persistence';

/** Finds a session as it stands. */
@Injectable()
export class GetSession {
  constructor(private readonly sessions: SessionStore) {}

  async execute({ tenant, session: address }: ParsedOf<typeof getSession>): Promise<Session> {
    const session = await this.sessions.find(tenant, address);
    if (!session) throw notFound('session', 'id' in address ? address.id : address.key);
    return session;
  }
}
