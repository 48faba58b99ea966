import { type TenantId } from '@parley/core';
import { Client } from 'pg';
import { risingClock, type Subject } from '../sequences/subject.contract.js';
import { ExecutorLock } from './executor-lock.js';
import { PostgresRunLog } from './postgres-run-log.js';

/** RunLog on a test database; what the world does to it goes through the owner's own connection. */
export class PostgresSubject implements Subject {
  readonly log: PostgresRunLog;
  readonly now = risingClock();

  private constructor(
    databaseUrl: string,
    private readonly owner: Client,
  ) {
    this.log = PostgresRunLog.connect(databaseUrl);
  }

  static async open(databaseUrl: string): Promise<PostgresSubject> {
    const owner = new Client({ connectionString: databaseUrl });
    await owner.connect();
    return new PostgresSubject(databaseUrl, owner);
  }

  async close(): Promise<void> {
    await this.log.close();
    await this.owner.end();
  }

  async furnish(tenant: TenantId, { agents, sessions }: Parameters<Subject['furnish']>[1]): Promise<void> {
    await this.owner.query(
      `insert into agents (tenant, id, key, version, name, enabled)
       select $1, x.id, x.id, x.version, 'a', x.enabled from jsonb_to_recordset($2) as x(id uuid, version int, enabled boolean)`,
      [tenant, JSON.stringify(agents)],
    );
    await this.owner.query(
      `insert into sessions (tenant, id, agent, key, name, enabled)
       select $1, x.id, x.agent, x.id, 's', x.enabled from jsonb_to_recordset($2) as x(id uuid, agent uuid, enabled boolean)`,
      [tenant, JSON.stringify(sessions)],
    );
  }

  async clear(tenant: TenantId): Promise<void> {
    const tables = ['events', 'inbox', 'runs', 'sessions', 'agents'];
    await this.owner.query(tables.map((table) => `delete from ${table} where tenant = '${tenant}'`).join('; '));
  }

  /** All rows of the tenant, as text. */
  async everything(tenant: TenantId): Promise<string> {
    const tables = ['events', 'inbox', 'runs', 'sessions', 'agents'];
    const rows = tables.map((table) => `select to_jsonb(t)::text as row from ${table} t where tenant = $1`);
    const found = await this.owner.query<{ row: string }>(rows.join(' union all '), [tenant]);
    return found.rows.map(({ row }) => row).join('\n');
  }

  async elapse(tenant: TenantId, ms: number): Promise<void> {
    await this.owner.query(
      `update runs set due_at = due_at - $2 * interval '1 ms', rest_until = rest_until - $2 * interval '1 ms'
        where tenant = $1`,
      [tenant, ms],
    );
  }

  /** Answers when the server has freed the lock. */
  async kill(executor: number): Promise<void> {
    const lock = `from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.locktype = 'advisory' and l.classid = $1 and l.objid = $2`;
    const key = [ExecutorLock.CLASS, executor];
    await this.owner.query(`select pg_terminate_backend(l.pid) ${lock}`, key);
    while ((await this.owner.query(`select ${lock}`, key)).rowCount)
      await new Promise((resolve) => setImmediate(resolve));
  }
}
