import { Client } from 'pg';
import { connectionConfig } from '../connection.js';
import { createCluster } from '../server/create-cluster.js';
import type { PostgresServer } from '../server/postgres-server.js';
import { serverUrl, stopServer, type Postmaster } from '../server/postmaster.mjs';
import { type HeldServer, holdServer } from './hold-server.js';
import { locateServer } from './locate-server.js';
import { watchForOrphan } from './orphan-watch.js';

/** How the embedded server is started. */
export interface EmbeddedPostgresOptions {
  /** Parley's data folder; the database is in its `postgres`, or where `onProgress` says. */
  readonly directory: string;
  /** Told each step as one line of text. */
  readonly onProgress?: (message: string) => void;
  /** How long to wait for another Parley that uses the folder to end, in milliseconds; 10 s when absent. */
  readonly lockTimeoutMs?: number;
  /** How long the server outlives our death, in milliseconds: a start within this time adopts it; 5 s when absent. */
  readonly orphanGraceMs?: number;
  /** Aborts when it is not wanted any more: then nothing is waited for, and what is not begun is not begun. */
  readonly signal?: AbortSignal;
  /** The server or its lock was lost and could not be had again: this process must not go on. */
  readonly onLost: (error: unknown) => void;
}

/** A real Postgres server of our own, ours alone until it is stopped or we die. */
export interface EmbeddedPostgres {
  /** The address of the database `parley`, with its password; it stays the same while this process lives. */
  readonly url: string;
  /** Where the server and its `server.log` are. */
  readonly directory: string;
  /** Ends all connections and the server, with all that was committed on disk. */
  stop(): Promise<void>;
}

const DATABASE = 'parley';

/**
 * Starts the server of a data folder, or adopts the one that a killed Parley left, and takes the instance lock: whoever
 * has it knows that every earlier process of this database is dead. A server that dies is started again. Where we die,
 * a process beside us stops the server. Rejects with InstanceLockError where another Parley uses the folder, with the
 * signal's reason when it aborts before the server is ours.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { directory, lockTimeoutMs = 10_000, orphanGraceMs = 5_000, signal, onLost } = options;
  const say = onceInARow(options.onProgress ?? (() => {}));
  const server = await locateServer(directory, say);
  await createCluster(server, () => say(`creating the database in ${server.directory}`));
  signal?.throwIfAborted();
  const watch = watchForOrphan(server.directory, orphanGraceMs);
  try {
    const prepare = (postmaster: Postmaster) => ensureDatabase(server, postmaster);
    const held = await holdServer(server, { say, lockTimeoutMs, prepare, signal });
    const url = await serverUrl(server.directory, held.postmaster, DATABASE);
    const again = listeningAs(server, held.postmaster);
    const keeper = new ServerKeeper(
      () => holdServer(again, { say, lockTimeoutMs, prepare, signal: undefined }),
      onLost,
    );
    keeper.keep(held);
    const stop = async () => {
      await keeper.release();
      await stopServer(server.directory);
      watch.cancel();
    };
    return { url, directory: server.directory, stop };
  } catch (error) {
    watch.release();
    throw error;
  }
}

/** Gets the server and its lock back when they are lost, for as long as this process wants them. */
class ServerKeeper {
  #regaining: Promise<unknown> = Promise.resolve();
  #released = false;

  constructor(
    private readonly hold: () => Promise<HeldServer>,
    private readonly onLost: (error: unknown) => void,
  ) {}

  keep({ lock }: HeldServer): void {
    lock.once('end', () => {
      if (!this.#released) this.#regaining = this.#regain();
    });
  }

  /** From here on the loss of the lock is wanted. */
  async release(): Promise<void> {
    this.#released = true;
    await this.#regaining;
  }

  async #regain(): Promise<void> {
    try {
      this.keep(await this.hold());
    } catch (error) {
      this.onLost(error);
    }
  }
}

/** The server with the address that it has now, so that a new start of it keeps the URL true. */
function listeningAs(server: PostgresServer, { host, port }: Postmaster): PostgresServer {
  return host === '' ? server : { ...server, port };
}

/** Steps that are tried again and again are told once. */
function onceInARow(say: (message: string) => void): (message: string) => void {
  let last: string | undefined;
  return (message) => {
    if (message !== last) say(message);
    last = message;
  };
}

/** Under the instance lock, so nobody else makes it at the same time. */
async function ensureDatabase({ directory }: PostgresServer, postmaster: Postmaster): Promise<void> {
  const admin = new Client(
    connectionConfig(await serverUrl(directory, postmaster, 'postgres'), { applicationName: 'parley-start' }),
  );
  await admin.connect();
  try {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await admin.query(`create database ${DATABASE}`);
  } finally {
    await admin.end();
  }
}
