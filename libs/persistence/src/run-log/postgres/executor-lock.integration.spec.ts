import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { once } from 'node:events';
import pg from 'pg';
import { ExecutorLock } from './executor-lock.js';

describe.each(postgresServers)('the lock of an executor on $name', (server) => {
  let database: TestDatabase;
  let owner: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase(server, { migrated: true });
    owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
  });

  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  const connections = async (): Promise<number> => {
    const { rowCount } = await owner.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'parley-executor-lock'`,
    );
    return rowCount ?? 0;
  };

  const connectionsBecome = async (count: number): Promise<void> => {
    for (let look = 0; (await connections()) !== count; look++) {
      if (look === 200) throw new Error(`there are ${await connections()} connections, not ${count}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  it('is free, and its loss is told, once its connection is gone', async () => {
    const lock = await ExecutorLock.take(database.url);
    const isFree = async (): Promise<boolean> => {
      const tried = await owner.query<{ free: boolean }>(
        `select pg_try_advisory_xact_lock(${ExecutorLock.CLASS}, ${lock.executor}) as free`,
      );
      return tried.rows[0]?.free === true;
    };
    expect(await isFree()).toBe(false);
    expect(lock.lost.aborted).toBe(false);

    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'parley-executor-lock'`,
    );
    await connectionsBecome(0);
    expect(await isFree()).toBe(true);
    if (!lock.lost.aborted) await once(lock.lost, 'abort');
  });

  it('keeps no connection where the executor could not be made', async () => {
    await owner.query('alter table executors rename to gone');
    try {
      await expect(ExecutorLock.take(database.url)).rejects.toThrow('executors');
      await connectionsBecome(0);
    } finally {
      await owner.query('alter table gone rename to executors');
    }
  });
});
