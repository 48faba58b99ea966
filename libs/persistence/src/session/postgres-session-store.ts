import {
  notFound,
  PlatformError,
  Session,
  type AgentId,
  type Key,
  type Page,
  type SessionId,
  type TenantId,
} from '@parley/core';
import { breaks, storeFailure } from '../database/constraint.js';
import { type TenantDatabase, type TenantTransaction } from '../database/prisma.js';
import { Prisma } from '../generated/client.js';
import { readCursor, writeCursor } from '../listing/cursor.js';
import { loadPage } from '../listing/load-page.js';
import { namePattern } from '../listing/name-pattern.js';
import { scanPage, type ListedRow } from '../listing/scan-page.js';
import { SessionStore, type NewSession, type SessionDescription, type SessionQuery } from './session-store.js';

/** Sessions in the shape of `Session`. */
const SESSIONS = Prisma.sql`
  select s.id, s.agent, s.key, s.name, s.description, s.metadata, s.facets, s.enabled, s.created_at as "createdAt",
         s.updated_at as "updatedAt", s.head,
         (select jsonb_build_object('run', r.id, 'state', r.state)
            from runs r where r.tenant = s.tenant and r.id = s.active_run) as active
    from sessions s`;

/** SessionStore on Postgres, as a role that may write the descriptive columns only. */
export class PostgresSessionStore extends SessionStore {
  constructor(private readonly database: TenantDatabase) {
    super();
  }

  async create(tenant: TenantId, session: NewSession): Promise<Session> {
    const { id, agent, key } = session;
    try {
      return await this.database.inTenant(tenant, async (tx) => {
        await insert(tx, tenant, session);
        const made = await found(tx, Prisma.sql`s.tenant = ${tenant}::uuid and s.id = ${id}::uuid`);
        return made ?? (await refuse(tx, tenant, agent));
      });
    } catch (error) {
      if (breaks('foreign_key', error)) throw notFound('agent', agent); // removed while this was being written
      if (!breaks('unique', error)) throw storeFailure(error);
      throw new PlatformError('conflict', `the agent has a session with the key '${key}' already`, {
        noun: 'session',
        id: key,
      });
    }
  }

  find(tenant: TenantId, address: { id: SessionId } | { agent: AgentId; key: Key }): Promise<Session | undefined> {
    const which =
      'id' in address
        ? Prisma.sql`s.id = ${address.id}::uuid`
        : Prisma.sql`s.agent = ${address.agent}::uuid and s.key = ${address.key}`;
    return this.inTenant(tenant, (tx) => found(tx, Prisma.sql`s.tenant = ${tenant}::uuid and ${which}`));
  }

  list(tenant: TenantId, { agent, pattern, limit, after }: SessionQuery): Promise<Page<Session>> {
    return this.inTenant(tenant, async (tx) => {
      const list = ['sessions', tenant, agent];
      const start = readCursor(list, after);
      const scanned = await scanPage({
        limit,
        matching: pattern === undefined ? undefined : namePattern(pattern),
        read: (last, take) => {
          const { createdAt, id } = last ?? start;
          return tx.$queryRaw<ListedRow[]>`
            select id, name, description, created_at as "createdAt" from sessions
             where tenant = ${tenant}::uuid and agent = ${agent}::uuid
               and (created_at, id) < (${createdAt}::timestamptz, ${id}::uuid)
             order by created_at desc, id desc limit ${take}`;
        },
      });
      const { items, next } = await loadPage(scanned, {
        load: (ids) => allOf(tx, tenant, ids),
        placeOf: (session) => session,
      });
      return { items, next: next && writeCursor(list, next) };
    });
  }

  update(
    tenant: TenantId,
    id: SessionId,
    change: { [K in keyof SessionDescription]?: SessionDescription[K] | undefined },
  ): Promise<Session | undefined> {
    const { name, description, metadata, facets, enabled } = change;
    const changed = [
      name === undefined ? [] : Prisma.sql`name = ${name}`,
      description === undefined ? [] : Prisma.sql`description = ${description}`,
      metadata === undefined ? [] : Prisma.sql`metadata = ${JSON.stringify(metadata)}::jsonb`,
      facets === undefined ? [] : Prisma.sql`facets = ${JSON.stringify(facets)}::jsonb`,
      enabled === undefined ? [] : Prisma.sql`enabled = ${enabled}`,
      Prisma.sql`updated_at = clock_timestamp()`,
    ].flat();
    const which = Prisma.sql`tenant = ${tenant}::uuid and id = ${id}::uuid`;
    return this.inTenant(tenant, async (tx) => {
      await tx.$executeRaw`update sessions set ${Prisma.join(changed)} where ${which}`;
      return await found(tx, Prisma.sql`s.tenant = ${tenant}::uuid and s.id = ${id}::uuid`);
    });
  }

  private async inTenant<T>(tenant: TenantId, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.inTenant(tenant, work);
    } catch (error) {
      throw storeFailure(error);
    }
  }
}

const found = async (tx: TenantTransaction, which: Prisma.Sql): Promise<Session | undefined> => {
  const [row] = await tx.$queryRaw<unknown[]>`${SESSIONS} where ${which}`;
  return row === undefined ? undefined : Session.parse(row);
};

const allOf = async (tx: TenantTransaction, tenant: TenantId, ids: string[]): Promise<Session[]> => {
  const rows = await tx.$queryRaw<unknown[]>`
    ${SESSIONS} where s.tenant = ${tenant}::uuid and s.id = any (${ids}::uuid[])
     order by s.created_at desc, s.id desc`;
  return rows.map((row) => Session.parse(row));
};

/** Writes nothing where that id exists, or where the agent does not take sessions. */
const insert = async (tx: TenantTransaction, tenant: TenantId, session: NewSession): Promise<void> => {
  const { id, agent, key, name, description, metadata, facets, enabled } = session;
  await tx.$executeRaw`
    insert into sessions (tenant, id, agent, key, name, description, metadata, facets, enabled)
    select a.tenant, ${id}::uuid, a.id, ${key}, ${name}, ${description}, ${JSON.stringify(metadata)}::jsonb,
           ${JSON.stringify(facets)}::jsonb, ${enabled}
      from agents a where a.tenant = ${tenant}::uuid and a.id = ${agent}::uuid and a.enabled
    on conflict (tenant, id) do nothing`;
};

const refuse = async (tx: TenantTransaction, tenant: TenantId, agent: AgentId): Promise<never> => {
  const [known] = await tx.$queryRaw<unknown[]>`
    select id from agents where tenant = ${tenant}::uuid and id = ${agent}::uuid`;
  if (known === undefined) throw notFound('agent', agent);
  throw new PlatformError('illegal_state', `agent '${agent}' is disabled`, { noun: 'agent', id: agent });
};
