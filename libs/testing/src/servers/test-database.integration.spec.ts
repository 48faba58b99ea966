import { assertMigrated } from '@parley/persistence';
import { Client } from 'pg';
import { createTestDatabase, postgresServers } from './test-database.js';

it('has a server of the least and of the newest version', () => {
  expect(postgresServers.map(({ name }) => name)).toEqual(['postgres 15', 'postgres 18']);
});

describe.each(postgresServers)('a test database on $name', (server) => {
  it('is on a server of that version', async () => {
    const database = await createTestDatabase(server);
    const [row] = await query(database.url, `select current_setting('server_version_num')::int / 10000 as major`);
    await database.drop();

    expect(`postgres ${String(row?.major)}`).toBe(server.name);
  });

  it('has every migration when asked for, also when four specs ask at once', async () => {
    const databases = await Promise.all([1, 2, 3, 4].map(() => createTestDatabase(server, { migrated: true })));
    await Promise.all(databases.map(({ url }) => assertMigrated(url)));
    await Promise.all(databases.map((database) => database.drop()));

    expect(new Set(databases.map(({ url }) => url)).size).toBe(4);
  });

  it('is gone after drop, also while somebody is connected', async () => {
    const database = await createTestDatabase(server);
    const name = new URL(database.url).pathname.slice(1);
    const idle = new Client({ connectionString: database.url });
    idle.on('error', () => {});
    await idle.connect();
    await database.drop();

    expect(name).toMatch(/^parley_test_/);
    expect(await query(server.url, `select datname from pg_database where datname = '${name}'`)).toEqual([]);
  });
});

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
