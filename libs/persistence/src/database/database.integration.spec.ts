import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import type { Pool } from 'pg';
import { createPool } from './pool.js';
import { createPrisma, type TenantDatabase } from './prisma.js';

const ROLE = 'parley_test_store';
const [ANN, BOB] = ['7f1b0f86-7b0c-4d39-9a3a-0a6f7f1f0001', '7f1b0f86-7b0c-4d39-9a3a-0a6f7f1f0002'];

describe.each(postgresServers)('connections on $name', (server) => {
  let database: TestDatabase;
  let admin: Pool;

  beforeAll(async () => {
    database = await createTestDatabase(server);
    admin = createPool(database.url, { applicationName: 'spec', max: 1 });
    await admin.query(`
      create role ${ROLE} nologin;
      create table notes (tenant uuid not null, text text not null);
      alter table notes enable row level security;
      create policy own on notes using (tenant = current_setting('parley.tenant')::uuid);
      grant select, insert on notes to ${ROLE}`);
  });

  afterAll(async () => {
    await admin.query(`drop owned by ${ROLE}; drop role ${ROLE}`);
    await admin.end();
    await database.drop();
  });

  describe('createPool', () => {
    it('gives every connection its role, settings and name from the first statement on', async () => {
      const settings = { jit: 'off', search_path: '"$user", public', work_mem: '5MB' };
      const pool = createPool(database.url, { applicationName: 'hot pool', role: ROLE, max: 2, settings });
      const connections = await Promise.all([pool.connect(), pool.connect()]);
      const rows = await Promise.all(
        connections.map((connection) =>
          connection.query(`select current_user as role, current_setting('jit') as jit,
            current_setting('search_path') as path, current_setting('work_mem') as memory,
            current_setting('application_name') as name, current_setting('statement_timeout') as timeout`),
        ),
      );
      connections.forEach((connection) => connection.release());
      await pool.end();

      const expected = {
        role: ROLE,
        jit: 'off',
        path: '"$user", public',
        memory: '5MB',
        name: 'hot pool',
        timeout: '5s',
      };
      expect(rows.map((result): unknown => result.rows[0])).toEqual([expected, expected]);
    });

    it('keeps the options of its URL, where its own do not override them', async () => {
      const url = new URL(database.url);
      url.searchParams.set('options', '-c work_mem=6MB -c statement_timeout=1min');
      const pool = createPool(url.href, { applicationName: 'spec', max: 1 });
      const { rows } = await pool.query<Record<string, string>>(
        `select current_setting('work_mem') as memory, current_setting('statement_timeout') as timeout`,
      );
      await pool.end();

      expect(rows).toEqual([{ memory: '6MB', timeout: '5s' }]);
    });

    it('notices a vanished peer within 10 s', async () => {
      const { rows } = await admin.query<{ seconds: number }>(
        `select current_setting('tcp_keepalives_idle')::int + current_setting('tcp_keepalives_count')::int *
           current_setting('tcp_keepalives_interval')::int as seconds`,
      );

      expect(rows[0]?.seconds).toBeLessThanOrEqual(10);
    });

    it('ends a connection that leaves its transaction open, and goes on with a new one', async () => {
      const lost: string[] = [];
      const pool = createPool(database.url, {
        applicationName: 'spec',
        max: 1,
        settings: { idle_in_transaction_session_timeout: '50ms' },
      });
      const connection = await pool.connect();
      const ended = new Promise<void>((resolve) => {
        connection.on('error', (error) => {
          lost.push(error.message);
          resolve();
        });
      });
      await connection.query('begin');
      await ended;
      connection.release(true);

      expect(lost).toEqual(['terminating connection due to idle-in-transaction timeout']);
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      await pool.end();
    });

    it('fails a query whose answer does not come in time, and goes on with another connection', async () => {
      const pool = createPool(database.url, { applicationName: 'spec', max: 1, queryTimeoutMs: 100 });

      await expect(pool.query('select pg_sleep(2)')).rejects.toThrow('Query read timeout');
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      await pool.end();
    });

    it('outlives the loss of its idle connections, and says so', async () => {
      const lost: string[] = [];
      const onIdleError = (error: Error) => lost.push(error.message);
      const pool = createPool(database.url, { applicationName: 'idle pool', max: 1, onIdleError });
      await pool.query('select 1');
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'idle pool'`);
      for (let wait = 0; lost.length === 0 && wait < 200; wait += 1) await new Promise((done) => setTimeout(done, 10));

      expect(lost).toEqual(['terminating connection due to administrator command']);
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      await pool.end();
    });
  });

  describe('inTenant', () => {
    let prisma: TenantDatabase;

    beforeAll(() => {
      prisma = createPrisma(database.url, { applicationName: 'store', role: ROLE, max: 2 });
    });

    afterAll(() => prisma.close());

    const write = (tenant: string, text: string) =>
      prisma.inTenant(tenant, (tx) => tx.$executeRaw`insert into notes values (${tenant}::uuid, ${text})`);
    const read = (tenant: string) => prisma.inTenant(tenant, (tx) => tx.$queryRaw`select text from notes order by 1`);

    it('shows each tenant its own rows, also when their transactions run at once', async () => {
      await Promise.all([write(ANN, 'of Ann'), write(BOB, 'of Bob')]);

      expect(await Promise.all([read(ANN), read(BOB), read(ANN)])).toEqual([
        [{ text: 'of Ann' }],
        [{ text: 'of Bob' }],
        [{ text: 'of Ann' }],
      ]);
    });

    it('refuses to write a row of another tenant', async () => {
      const foreign = prisma.inTenant(ANN, (tx) => tx.$executeRaw`insert into notes values (${BOB}::uuid, 'forged')`);

      await expect(foreign).rejects.toThrow(/row-level security/);
    });

    it('undoes all of a transaction whose work fails', async () => {
      const failing = prisma.inTenant(ANN, async (tx) => {
        await tx.$executeRaw`insert into notes values (${ANN}::uuid, 'half')`;
        throw new Error('changed my mind');
      });

      await expect(failing).rejects.toThrow('changed my mind');
      expect(await read(ANN)).not.toContainEqual({ text: 'half' });
    });

    it('leaves no tenant on the connection after its transaction', async () => {
      const afterCommit = await prisma.inTenant(ANN, async (tx) => {
        await tx.$executeRaw`commit`;
        return tx.$queryRaw`select current_setting('parley.tenant', true) as tenant`;
      });

      expect(afterCommit).toEqual([{ tenant: '' }]);
    });
  });
});
