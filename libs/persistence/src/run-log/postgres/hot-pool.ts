import { type Pool } from 'pg';
import { type ConnectionOptions } from '../../connection.js';
import { createPool } from '../../database/pool.js';

/**
 * Planner settings of the log's connections. Its statements name rows by key, and JSON batches are estimated at 100
 * rows, so that scans and hash joins over whole tables look cheap to the planner; planning anew each time would cost
 * more than the statement (measured: 0.3 to 0.9 ms). A plan test holds that every statement reads by key.
 */
const PLANNER = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

export const hotConnection = (applicationName: string): ConnectionOptions => ({
  applicationName,
  role: 'parley_run_log',
  settings: PLANNER,
});

/** The run log's own connections: few, direct, and with plans that do not change. */
export const createHotPool = (databaseUrl: string, applicationName: string, max = 4): Pool =>
  createPool(databaseUrl, { ...hotConnection(applicationName), max });
