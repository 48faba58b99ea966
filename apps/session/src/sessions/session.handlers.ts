import { Controller } from '@nestjs/common';
import {
  createSession,
  deleteSession,
  getSession,
  listSessions,
  updateSession,
  type ParsedOf,
} from '@parley/contracts';
import { type Page, type Session } from '@parley/core';
import { Handles } from '@parley/messaging';
import { CreateSession } from './create-session.js';
import { DeleteSession } from './delete-session.js';
import { GetSession } from './get-session.js';
import { ListSessions } from './list-sessions.js';
import { UpdateSession } from './update-session.js';

/** Sessions, from the bus to their use cases. */
@Controller()
export class SessionHandlers {
  constructor(
    private readonly creating: CreateSession,
    private readonly getting: GetSession,
    private readonly listing: ListSessions,
    private readonly updating: UpdateSession,
    private readonly deleting: DeleteSession,
  ) {}

  @Handles(createSession)
  create(request: ParsedOf<typeof createSession>): Promise<Session> {
    return this.creating.execute(request);
  }

  @Handles(getSession)
  get(request: ParsedOf<typeof getSession>): Promise<Session> {
    return this.getting.execute(request);
  }

  @Handles(listSessions)
  list(request: ParsedOf<typeof listSessions>): Promise<Page<Session>> {
    return this.listing.execute(request);
  }

  @Handles(updateSession)
  update(request: ParsedOf<typeof updateSession>): Promise<Session> {
    return this.updating.execute(request);
  }

  @Handles(deleteSession)
  async delete(request: ParsedOf<typeof deleteSession>): Promise<Record<string, never>> {
    await this.deleting.execute(request);
    return {};
  }
}
