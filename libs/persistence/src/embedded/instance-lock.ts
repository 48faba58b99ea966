import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { connectionConfig } from '../connection.js';

/** The key of the lock; stop-orphan.mjs has the same. */
const INSTANCE_LOCK = 815_002;
const HOLDER = 'parley-instance';
const RETRY_MS = 25;

/** Another process keeps the instance lock: two Parleys cannot share one data folder. */
export class InstanceLockError extends Error {
  override readonly name = 'InstanceLockError';
}

/** How long to wait for the lock, what ends the waiting, and who is told whom we wait for. */
export interface LockWait {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly onWait: (holder: string) => void;
}

/**
 * Takes the instance lock of a server: while the returned client is connected, no other process runs on it as we do.
 * The server frees it the moment our process dies. Rejects with InstanceLockError where another keeps it.
 */
export async function takeInstanceLock(serverUrl: string, { timeoutMs, signal, onWait }: LockWait): Promise<Client> {
  const client = new Client(connectionConfig(serverUrl, { applicationName: `${HOLDER} ${process.pid}` }));
  client.on('error', () => {});
  await client.connect();
  const deadline = performance.now() + timeoutMs;
  try {
    for (let attempt = 0; !(await tryLock(client)); attempt += 1) {
      const holder = await lockHolder(client);
      if (performance.now() > deadline) throw new InstanceLockError(`${holder} already uses this database`);
      if (attempt === 0) onWait(holder);
      signal?.throwIfAborted();
      await sleep(RETRY_MS);
    }
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [INSTANCE_LOCK]);
  return rows[0]?.taken === true;
}

async function lockHolder(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and objid = $1 and granted`,
    [INSTANCE_LOCK],
  );
  const [kind, pid] = rows[0]?.name.split(' ') ?? [];
  return kind === HOLDER && pid ? `Parley (pid ${pid})` : 'the process that stops the database';
}
