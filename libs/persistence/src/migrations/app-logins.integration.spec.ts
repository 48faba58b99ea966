import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import { assertMigrated } from './migrate.js';
import { DATABASE_APPS, ensureLogins, loginOf, type DatabaseApp } from './app-logins.js';

describe.each(postgresServers)('the logins of the apps on $name', (server) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase(server, { migrated: true });
    await ensureLogins(database.url, { gateway: 'g', 'agent-registry': 'a', session: 'old', 'run-executor': `it's` });
    await ensureLogins(database.url, { session: 'new' });
  });
  afterAll(() => database.drop());

  const urlOf = (app: DatabaseApp, password: string): string => {
    const url = new URL(database.url);
    url.username = loginOf(app);
    url.password = encodeURIComponent(password);
    return url.href;
  };

  const asApp = async (app: DatabaseApp, password: string, ...statements: string[]): Promise<void> => {
    const client = new Client({ connectionString: urlOf(app, password) });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };

  const passwords = { gateway: 'g', 'agent-registry': 'a', session: 'new', 'run-executor': `it's` };

  it.each(DATABASE_APPS)('let %s see that the database is migrated', async (app) => {
    await assertMigrated(urlOf(app, passwords[app]));
  });

  it('take the newest password and no other', async () => {
    await asApp('session', 'new', 'select 1');
    await expect(asApp('session', 'old', 'select 1')).rejects.toThrow('password authentication failed');
  });

  it.each<[DatabaseApp, string, string]>([
    ['agent-registry', 'parley_store', 'select from agents'],
    ['gateway', 'parley_blob', 'select from blobs'],
    ['run-executor', 'parley_blob', 'select from blobs'],
    ['session', 'parley_store', 'select from sessions'],
    ['session', 'parley_run_log', 'select from runs'],
    ['run-executor', 'parley_run_log', 'select from runs'],
  ])('let %s act as %s', async (app, role, statement) => {
    await asApp(app, passwords[app], `set role ${role}`, statement);
    await expect(asApp(app, passwords[app], statement)).rejects.toThrow('permission denied');
  });

  it.each<[DatabaseApp, string]>([
    ['agent-registry', 'parley_run_log'],
    ['run-executor', 'parley_store'],
    ['session', 'postgres'],
    ['gateway', 'parley_store'],
  ])('do not let %s act as %s', async (app, role) => {
    await expect(asApp(app, passwords[app], `set role ${role}`)).rejects.toThrow(/permission denied|does not exist/);
  });
});
