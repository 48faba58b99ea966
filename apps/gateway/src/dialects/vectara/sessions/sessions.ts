import { Injectable } from '@nestjs/common';
import { createSession, deleteSession, getSession, listSessions, updateSession } from '@parley/contracts';
import { newId, PlatformError, type Session, SessionId } from '@parley/core';
import { Bus } from '@parley/messaging';
import { refuseBadPattern } from '../../../http/body/pattern.js';
import { type Caller } from '../caller.js';
import { Directory, type SessionPath } from '../directory.js';
import { keyFrom } from '../key.js';
import { PageKeys } from '../paging.js';
import { toChange, toDescribed } from './map.js';
import { type CreateSessionRequest, type ListSessionsQuery, type UpdateSessionRequest } from './wire.js';

/** How often another key is made up for a session that came without one. */
const KEY_ATTEMPTS = 5;

/** Sessions by their keys, on the bus. */
@Injectable()
export class Sessions {
  constructor(
    private readonly bus: Bus,
    private readonly directory: Directory,
    private readonly pageKeys: PageKeys,
  ) {}

  /** Without a key one is made from the name. */
  async create(caller: Caller, agentKey: string, request: CreateSessionRequest): Promise<Session> {
    const id = newId(SessionId);
    for (let attempt = 1; ; attempt++) {
      const key = request.key ?? keyFrom('ase', request.name ?? 'session');
      const described = toDescribed(request, key);
      try {
        return await this.directory.withAgent(caller, agentKey, async (agent) => {
          const asked = { tenant: caller.tenant, id, agent, key, ...described };
          const made = await this.bus.request(createSession, asked, caller.options);
          this.directory.note(caller, { agentKey, sessionKey: made.key }, { agent, session: made.id });
          return made;
        });
      } catch (error) {
        const isTaken = error instanceof PlatformError && error.code === 'conflict';
        if (request.key !== undefined || !isTaken || attempt === KEY_ATTEMPTS) throw error;
      }
    }
  }

  async get(caller: Caller, path: SessionPath): Promise<Session> {
    return await this.directory.withSessionKey(caller, path, (session) =>
      this.bus.request(getSession, { tenant: caller.tenant, session }, caller.options),
    );
  }

  async update(caller: Caller, path: SessionPath, request: UpdateSessionRequest): Promise<Session> {
    const change = toChange(request);
    return await this.directory.withSession(caller, path, ({ session: id }) =>
      this.bus.request(updateSession, { tenant: caller.tenant, id, change }, caller.options),
    );
  }

  /** A turn that is under way is ended first. */
  async delete(caller: Caller, path: SessionPath): Promise<void> {
    await this.directory.withSession(caller, path, ({ session: id }) =>
      this.bus.request(deleteSession, { tenant: caller.tenant, id }, caller.options),
    );
  }

  async list(
    caller: Caller,
    agentKey: string,
    { filter, limit, page_key }: ListSessionsQuery,
  ): Promise<{ items: Session[]; metadata: object }> {
    if (filter !== undefined) refuseBadPattern('filter', filter);
    return await this.directory.withAgent(caller, agentKey, async (agent) => {
      const listing = { tenant: caller.tenant, list: 'sessions', filters: { agent, filter } };
      const after = this.pageKeys.open(listing, page_key);
      const request = { tenant: caller.tenant, agent, pattern: filter, limit, after };
      const page = await this.bus.request(listSessions, request, caller.options);
      return { items: page.items, metadata: this.pageKeys.metadata(listing, page.next) };
    });
  }
}
