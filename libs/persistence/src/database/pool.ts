import { Pool } from 'pg';
import { connectionConfig, type ConnectionOptions } from '../connection.js';

/** What a pool is besides its connections. */
export interface PoolOptions extends ConnectionOptions {
  /** The most connections it opens; it keeps what it opened. */
  readonly max: number;
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

/**
 * A pool of connections that all have that role and those settings. Connecting costs several milliseconds and loses the
 * prepared statements, so connections are kept. Ending the pool is the caller's.
 */
export function createPool(databaseUrl: string, options: PoolOptions): Pool {
  const { max, onIdleError = () => {}, settings, ...connection } = options;
  const config = connectionConfig(databaseUrl, { ...connection, settings: { ...LIMITS, ...settings } });
  const pool = new Pool({ ...config, max, idleTimeoutMillis: 0 });
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', onIdleError);
  return pool;
}
