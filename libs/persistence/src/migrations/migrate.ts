import { Client } from 'pg';
import { connectionConfig } from '../connection.js';
import { MigrationError } from './migration-error.js';
import { MIGRATIONS_DIRECTORY, readMigrations } from './migration-folder.js';
import { applyMigration, createHistory, pendingMigrations } from './migration-history.js';
import { takeMigrationLock } from './migration-lock.js';

/** How migrate runs. */
export interface MigrateOptions {
  /** Folder of Prisma migrations; the repository's own when absent. */
  readonly directory?: string;
  /** Told each step as one line of text. */
  readonly onProgress?: (message: string) => void;
  /** How long to wait for another process that migrates, in milliseconds; 60 s when absent. */
  readonly lockTimeoutMs?: number;
}

const SETTINGS = {
  // A migration that waits for a table's lock makes every later user of the table wait behind it.
  lock_timeout: '5s',
  // A migration may take long, but its process may not die and leave a transaction open.
  statement_timeout: 0,
  idle_in_transaction_session_timeout: '10s',
};

/**
 * Brings the database to the schema of this build and answers with the names of what it applied. Safe to call from any
 * number of processes at once: one applies, the others wait and find nothing to do.
 * Rejects with MigrationError where a migration fails (nothing of it is kept) or an applied one was edited.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { directory = MIGRATIONS_DIRECTORY, lockTimeoutMs = 60_000, onProgress = () => {} } = options;
  const migrations = await readMigrations(directory);
  return withClient(databaseUrl, async (client) => {
    await takeMigrationLock(client, lockTimeoutMs, () => onProgress('waiting for another process that migrates'));
    await createHistory(client);
    const pending = await pendingMigrations(client, migrations);
    for (const migration of pending) {
      onProgress(`applying migration ${migration.name}`);
      await applyMigration(client, migration);
    }
    return pending.map(({ name }) => name);
  });
}

/** For programs that only check: rejects with MigrationError unless the database has every migration of this build. */
export async function assertMigrated(databaseUrl: string, directory: string = MIGRATIONS_DIRECTORY): Promise<void> {
  const migrations = await readMigrations(directory);
  const pending = await withClient(databaseUrl, (client) => pendingMigrations(client, migrations));
  if (pending.length === 0) return;
  throw new MigrationError(
    `the database lacks ${pending.length} migration(s), the first is ${pending[0]?.name}; run "npm run migrate"`,
  );
}

async function withClient<T>(databaseUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(connectionConfig(databaseUrl, { applicationName: 'parley-migrate', settings: SETTINGS }));
  // A connection lost between two statements also fails the next one; without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
