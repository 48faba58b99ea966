import { randomUUID } from 'node:crypto';
import { checksumOf, migrate, readMigrations } from '@parley/persistence';
import { Client } from 'pg';
import { readPostgresServers, type TestPostgresServer } from '../config.js';

/** A database for one spec. */
export interface TestDatabase {
  readonly url: string;
  /** Ends its connections and removes it. */
  drop(): Promise<void>;
}

/** The Postgres servers of this test run: `describe.each(postgresServers)('on $name', (server) => …)`. */
export const postgresServers: readonly TestPostgresServer[] = readPostgresServers();

/** The prefix without which no database is dropped or written over. */
const PREFIX = 'parley_test_';
const TEMPLATE_LOCK = 815_001;

/** A new, empty database on that server; with `migrated`, one that has the repository's migrations (cloned: ~30 ms). */
export async function createTestDatabase(
  server: TestPostgresServer,
  options: { readonly migrated?: boolean } = {},
): Promise<TestDatabase> {
  const name = `${PREFIX}${randomUUID().replaceAll('-', '')}`;
  await asAdmin(server, async (admin) => {
    const template = options.migrated ? await migratedTemplate(server, admin) : 'template0';
    // Copying files is cheaper than logging every page, where nothing else is written meanwhile.
    await admin.query(`create database ${name} template ${template} strategy file_copy`);
  });
  return {
    url: databaseUrl(server, name),
    drop: () => asAdmin(server, (admin) => dropDatabase(admin, name)),
  };
}

/** Migrations run once per server and text of the migrations; every spec's process then clones the result. */
async function migratedTemplate(server: TestPostgresServer, admin: Client): Promise<string> {
  const name = `${PREFIX}template_${checksumOf(await readMigrations()).slice(0, 16)}`;
  await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await createTemplate(server, admin, name);
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
  return name;
}

async function createTemplate(server: TestPostgresServer, admin: Client, name: string): Promise<void> {
  const draft = `${name}_draft`;
  await dropDatabase(admin, draft);
  await admin.query(`create database ${draft}`);
  await migrate(databaseUrl(server, draft));
  await admin.query(`alter database ${draft} rename to ${name}`);
}

async function dropDatabase(admin: Client, name: string): Promise<void> {
  if (!name.startsWith(PREFIX)) throw new Error(`not a test database: ${name}`);
  await admin.query(`drop database if exists ${name} with (force)`);
}

function databaseUrl(server: TestPostgresServer, name: string): string {
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

async function asAdmin<T>(server: TestPostgresServer, work: (admin: Client) => Promise<T>): Promise<T> {
  const admin = new Client({ connectionString: server.url });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}
