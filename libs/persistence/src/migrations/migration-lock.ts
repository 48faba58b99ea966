import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { MigrationError } from './migration-error.js';

/** The key that Prisma's CLI takes too, so that it and this runner exclude each other. */
const MIGRATION_LOCK = 72707369;
const RETRY_MS = 50;

/**
 * Takes the database's migration lock; it is freed when the client ends. Polls, because a statement that waits for a
 * lock is an open transaction, and an open transaction holds back every vacuum of a live database.
 */
export async function takeMigrationLock(client: ClientBase, timeoutMs: number, onWait: () => void): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (let attempt = 0; ; attempt += 1) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.taken) return;
    if (attempt === 0) onWait();
    if (performance.now() > deadline) {
      throw new MigrationError(`another process has held the migration lock for ${timeoutMs / 1000} s`);
    }
    await sleep(RETRY_MS);
  }
}
