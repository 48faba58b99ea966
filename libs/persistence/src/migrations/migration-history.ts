import type { ClientBase } from 'pg';
import { messageOf } from '../thrown.js';
import { MigrationError } from './migration-error.js';
import type { Migration } from './migration-folder.js';

/** Prisma's own table, so that its CLI and this runner can follow each other on one database. */
const CREATE_HISTORY = `
create table if not exists public._prisma_migrations (
  id varchar(36) primary key not null,
  checksum varchar(64) not null,
  finished_at timestamptz,
  migration_name varchar(255) not null,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz not null default now(),
  applied_steps_count integer not null default 0
)`;

const RECORD = `
insert into public._prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
values (gen_random_uuid()::text, $1, clock_timestamp(), $2, now(), 1)`;

interface HistoryRow {
  migration_name: string;
  checksum: string;
  finished: boolean;
}

/**
 * The migrations that this database still lacks, in order. What it has beyond ours is left alone: migrations only add,
 * so an older build runs on a newer schema. Rejects where an applied migration was edited or one was left unfinished.
 */
export async function pendingMigrations(client: ClientBase, migrations: readonly Migration[]): Promise<Migration[]> {
  const history = await readHistory(client);
  return migrations.filter((migration) => {
    const applied = history.get(migration.name);
    if (applied) assertUntouched(migration, applied);
    return !applied;
  });
}

/** Applies one migration and records it, in one transaction: after a failure nothing of it is left. */
export async function applyMigration(client: ClientBase, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    const transaction = await currentTransaction(client);
    await client.query(migration.sql);
    if ((await currentTransaction(client)) !== transaction) throw new Error('it ends its own transaction');
    // What it set for the session (role, search_path) is for itself only, not for the record or the next migration.
    await client.query('reset role; reset all');
    await client.query(RECORD, [migration.checksum, migration.name]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new MigrationError(`migration ${migration.name} failed and was rolled back: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

export async function createHistory(client: ClientBase): Promise<void> {
  await client.query(CREATE_HISTORY);
}

async function currentTransaction(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>('select pg_current_xact_id()::text as id');
  return rows[0]?.id;
}

async function readHistory(client: ClientBase): Promise<Map<string, HistoryRow>> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    `select to_regclass('public._prisma_migrations') is not null as found`,
  );
  if (!tables[0]?.found) return new Map();
  const { rows } = await client.query<HistoryRow>(
    `select migration_name, checksum, finished_at is not null as finished
       from public._prisma_migrations where rolled_back_at is null`,
  );
  return new Map(rows.map((row) => [row.migration_name, row]));
}

function assertUntouched(migration: Migration, applied: HistoryRow): void {
  if (!applied.finished) {
    throw new MigrationError(
      `migration ${migration.name} was begun by another tool and never finished; ` +
        `repair the database, then mark it with "prisma migrate resolve"`,
    );
  }
  if (applied.checksum !== migration.checksum) {
    throw new MigrationError(
      `migration ${migration.name} was edited after it had been applied to this database ` +
        `(applied ${applied.checksum.slice(0, 12)}, now ${migration.checksum.slice(0, 12)}); ` +
        `restore its text and put the change into a new migration`,
    );
  }
}
