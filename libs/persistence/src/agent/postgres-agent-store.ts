import { isDeepStrictEqual } from 'node:util';
import {
  Agent,
  AgentVersion,
  PlatformError,
  type AgentDefinition,
  type AgentId,
  type Key,
  type Page,
  type TenantId,
} from '@parley/core';
import { breaks, storeFailure } from '../database/constraint.js';
import { type TenantDatabase, type TenantTransaction } from '../database/prisma.js';
import { Prisma } from '../generated/client.js';
import { readCursor, writeCursor } from '../listing/cursor.js';
import { loadPage } from '../listing/load-page.js';
import { namePattern } from '../listing/name-pattern.js';
import { scanPage, type ListedRow } from '../listing/scan-page.js';
import { AgentStore, type AgentQuery, type NewAgent, type Revised } from './agent-store.js';

/** Agents at one of their versions, in the shape of `Agent`. */
const AGENTS = Prisma.sql`
  select a.id as agent, a.key, v.version, v.definition, v.created_at as "createdAt", a.created_at as "agentCreatedAt"
    from agents a join agent_versions v on v.tenant = a.tenant and v.agent = a.id`;

/** AgentStore on Postgres, as a role under row-level security. */
export class PostgresAgentStore extends AgentStore {
  constructor(private readonly database: TenantDatabase) {
    super();
  }

  async create(tenant: TenantId, { id, key, definition }: NewAgent): Promise<Agent> {
    try {
      return await this.database.inTenant(tenant, async (tx) => {
        await tx.agent.create({ data: { tenant, id, key, version: 1, ...mirrored(definition) } });
        await tx.agentVersion.create({ data: { tenant, agentId: id, version: 1, definition } });
        return required(await atVersion(tx, tenant, id, 1));
      });
    } catch (error) {
      if (!breaks('unique', error)) throw storeFailure(error);
      const first = await this.inTenant(tenant, (tx) => atVersion(tx, tenant, id, 1));
      if (first) return first;
      throw new PlatformError('conflict', `an agent with the key '${key}' exists already`, { noun: 'agent', id: key });
    }
  }

  find(tenant: TenantId, address: { id: AgentId } | { key: Key }): Promise<Agent | undefined> {
    return this.inTenant(tenant, (tx) => newest(tx, tenant, address));
  }

  async findVersion(tenant: TenantId, id: AgentId, version: number): Promise<AgentVersion | undefined> {
    const agent = await this.inTenant(tenant, (tx) => atVersion(tx, tenant, id, version));
    return agent && AgentVersion.parse(agent);
  }

  list(tenant: TenantId, { pattern, enabled, limit, after }: AgentQuery): Promise<Page<Agent>> {
    return this.inTenant(tenant, async (tx) => {
      const list = ['agents', tenant];
      const start = readCursor(list, after);
      const scanned = await scanPage({
        limit,
        matching: pattern === undefined ? undefined : namePattern(pattern),
        read: (last, take) => {
          const { createdAt, id } = last ?? start;
          return tx.$queryRaw<ListedRow[]>`
            select id, name, description, created_at as "createdAt" from agents
             where tenant = ${tenant}::uuid and (created_at, id) < (${createdAt}::timestamptz, ${id}::uuid)
               and enabled = coalesce(${enabled ?? null}::boolean, enabled)
             order by created_at desc, id desc limit ${take}`;
        },
      });
      const { items, next } = await loadPage(scanned, {
        load: (ids) => newestOf(tx, tenant, ids),
        placeOf: ({ agent, agentCreatedAt }) => ({ id: agent, createdAt: agentCreatedAt }),
      });
      return { items, next: next && writeCursor(list, next) };
    });
  }

  revise(tenant: TenantId, id: AgentId, expected: number, definition: AgentDefinition): Promise<Revised> {
    const version = expected + 1;
    return this.inTenant(tenant, async (tx) => {
      const { count } = await tx.agent.updateMany({
        where: { tenant, id, version: expected },
        data: { version, updatedAt: new Date(), ...mirrored(definition) },
      });
      if (count > 0) await tx.agentVersion.create({ data: { tenant, agentId: id, version, definition } });
      const agent = await newest(tx, tenant, { id });
      if (!agent) return 'not_found';
      return agent.version === version && isDeepStrictEqual(agent.definition, definition) ? agent : 'outdated';
    });
  }

  async remove(tenant: TenantId, id: AgentId): Promise<'removed' | 'not_found' | 'has_sessions'> {
    try {
      return await this.database.inTenant(tenant, async (tx) => {
        const { count } = await tx.agent.deleteMany({ where: { tenant, id } });
        return count > 0 ? 'removed' : 'not_found';
      });
    } catch (error) {
      if (breaks('foreign_key', error)) return 'has_sessions';
      throw storeFailure(error);
    }
  }

  private async inTenant<T>(tenant: TenantId, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.inTenant(tenant, work);
    } catch (error) {
      throw storeFailure(error);
    }
  }
}

/** What the agent's own row repeats of its newest definition, to be listed by. */
const mirrored = ({ name, description, enabled }: AgentDefinition) => ({ name, description, enabled });

const newest = async (
  tx: TenantTransaction,
  tenant: TenantId,
  address: { id: AgentId } | { key: Key },
): Promise<Agent | undefined> => {
  const where = 'id' in address ? Prisma.sql`a.id = ${address.id}::uuid` : Prisma.sql`a.key = ${address.key}`;
  const [row] = await tx.$queryRaw<unknown[]>`
    ${AGENTS} and v.version = a.version where a.tenant = ${tenant}::uuid and ${where}`;
  return row === undefined ? undefined : Agent.parse(row);
};

const newestOf = async (tx: TenantTransaction, tenant: TenantId, ids: string[]): Promise<Agent[]> => {
  const rows = await tx.$queryRaw<unknown[]>`
    ${AGENTS} and v.version = a.version where a.tenant = ${tenant}::uuid and a.id = any (${ids}::uuid[])
     order by a.created_at desc, a.id desc`;
  return rows.map((row) => Agent.parse(row));
};

const atVersion = async (
  tx: TenantTransaction,
  tenant: TenantId,
  id: AgentId,
  version: number,
): Promise<Agent | undefined> => {
  const [row] = await tx.$queryRaw<unknown[]>`
    ${AGENTS} where a.tenant = ${tenant}::uuid and a.id = ${id}::uuid and v.version = ${version}`;
  return row === undefined ? undefined : Agent.parse(row);
};

const required = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('a row that was just written is not there');
  return value;
};
