import { Pool } from 'pg';
import { connectionConfig, type ConnectionOptions } from '../connection.js';

/** What a pool is besides its connections. */
export interface PoolOptions extends ConnectionOptions {
  /** The most connections it opens; it keeps what it opened. */
  readonly max: number;
  /** How long an answer may take before the query fails and its connection is given up, in milliseconds; else 10 s. */
  readonly queryTimeoutMs?: number;
  /** Told when a connection is lost while nobody uses it; the pool replaces it by itself. */
  readonly onIdleError?: (error: Error) => void;
}

/** One old snapshot makes every claim scan dead rows: no transaction of ours stays open longer than this. */
const LIMITS = {
  statement_timeout: '5s',
  idle_in_transaction_session_timeout: '5s',
  // The server frees the locks of a process that died in the middle of its statement.
  client_connection_check_interval: '1s',
};

/** Longer than the server's own limit: this one is for a server that is stopped or out of reach. */
const QUERY_TIMEOUT_MS = 10_000;

/**
 * A pool of connections that all have that role and those settings. Connecting costs several milliseconds and loses the
 * prepared statements, so connections are kept. Ending the pool is the caller's.
 */
export function createPool(databaseUrl: string, options: PoolOptions): Pool {
  const { max, queryTimeoutMs = QUERY_TIMEOUT_MS, onIdleError = () => {}, settings, ...connection } = options;
  const config = connectionConfig(databaseUrl, { ...connection, settings: { ...LIMITS, ...settings } });
  const pool = new Pool({ ...config, max, query_timeout: queryTimeoutMs, idleTimeoutMillis: 0 });
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', onIdleError);
  return pool;
}
