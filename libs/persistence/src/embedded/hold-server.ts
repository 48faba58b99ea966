import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { errorCode, messageOf } from '../thrown.js';
import type { PostgresServer } from '../server/postgres-server.js';
import { serverUrl, type Postmaster } from '../server/postmaster.mjs';
import { findServer, ServerStartError, startServer } from '../server/start-server.js';
import { takeInstanceLock } from './instance-lock.js';

/** A running server whose instance lock is ours while `lock` is connected. */
export interface HeldServer {
  readonly postmaster: Postmaster;
  readonly lock: Client;
}

/** What holdServer says, and how long it waits for a Parley that just ends; one that goes on working is an error. */
export interface HoldOptions {
  readonly say: (message: string) => void;
  readonly lockTimeoutMs: number;
  /** What has to be there before the server is used. It also shows that the server still takes connections. */
  readonly prepare: (postmaster: Postmaster) => Promise<void>;
  /** Ends the waiting; a server that we have started is held all the same. */
  readonly signal: AbortSignal | undefined;
}

const DEADLINE_MS = 60_000;
const RETRY_MS = 25;

/**
 * Adopts the server of that folder where one runs, else starts it, and takes its instance lock. Begins again while the
 * server comes and goes: another start may be faster, and a server whose Parley died may just be stopping.
 * Rejects with InstanceLockError where another Parley keeps the lock, with ServerStartError where there is no server.
 */
export async function holdServer(
  server: PostgresServer,
  { say, lockTimeoutMs, prepare, signal }: HoldOptions,
): Promise<HeldServer> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    try {
      const running = await findServer(server);
      say(running ? `using the database that already runs (pid ${running.pid})` : 'starting the database');
      const postmaster = running ?? (await startServer(server));
      const lock = await takeInstanceLock(await serverUrl(server.directory, postmaster, 'postgres'), {
        timeoutMs: lockTimeoutMs,
        signal,
        onWait: (holder) => say(`waiting for ${holder} to let go of the database`),
      });
      await prepare(postmaster).catch((error: unknown) => letGo(lock, error));
      return { postmaster, lock };
    } catch (error) {
      if (!isPassing(error) || performance.now() > deadline) throw error;
      signal?.throwIfAborted();
      await sleep(RETRY_MS);
    }
  }
}

/** A server that its watcher has told to stop gives the lock to whoever waited for it, and then ends under them. */
async function letGo(lock: Client, error: unknown): Promise<never> {
  await lock.end();
  throw error;
}

/** The server stops (57P01), crashed (57P02) or is not ready (57P03); or its socket went away under us. */
const PASSING_CODES = new Set<unknown>(['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

function isPassing(error: unknown): boolean {
  if (error instanceof ServerStartError) return error.isOccupied;
  if (PASSING_CODES.has(errorCode(error))) return true;
  return /^(connect ENOENT|Connection terminated|Client has encountered a connection error)/.test(messageOf(error));
}
