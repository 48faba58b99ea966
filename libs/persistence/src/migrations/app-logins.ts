import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { connectionConfig } from '../connection.js';

/** The apps that keep something in Postgres, each with the roles that it may act as. */
const ROLES = {
  'agent-registry': ['parley_store'],
  gateway: ['parley_blob'],
  session: ['parley_run_log', 'parley_store'],
  'run-executor': ['parley_run_log', 'parley_blob'],
} as const;

/** An app that logs in to Postgres. */
export type DatabaseApp = keyof typeof ROLES;

/** The apps that log in to Postgres. */
export const DATABASE_APPS = Object.keys(ROLES) as DatabaseApp[];

/** The login of an app, e.g. `parley_run_executor`. */
export const loginOf = (app: DatabaseApp): string => `parley_${app.replaceAll('-', '_')}`;

/**
 * Gives each named app a login with that password: new, or changed to be so. A login has no rights of its own but to
 * see which migrations there are; what its app does it does as one of its roles.
 */
export async function ensureLogins(
  databaseUrl: string,
  passwords: Partial<Record<DatabaseApp, string>>,
): Promise<void> {
  const client = new Client(connectionConfig(databaseUrl, { applicationName: 'parley-logins' }));
  client.on('error', () => {});
  await client.connect();
  try {
    for (const app of DATABASE_APPS) {
      const password = passwords[app];
      if (password !== undefined) await ensureLogin(client, app, password);
    }
  } finally {
    await client.end();
  }
}

async function ensureLogin(client: Client, app: DatabaseApp, password: string): Promise<void> {
  const name = escapeIdentifier(loginOf(app));
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [loginOf(app)]);
  if (rowCount === 0) await client.query(`create role ${name}`);
  await client.query(`alter role ${name} login noinherit password ${escapeLiteral(password)}`);
  for (const role of ROLES[app]) await client.query(`grant ${escapeIdentifier(role)} to ${name}`);
  await client.query(`grant select on _prisma_migrations to ${name}`);
}
