import pg from 'pg';
import { connectionConfig } from '../../connection.js';
import { type ExecutorId } from '../run-log.js';
import { hotConnection } from './hot-pool.js';

/** How long the server may take to make an executor, in milliseconds: what is asked waits for nobody. */
const ANSWER_MS = 5_000;

/**
 * The connection whose life is an executor's life: it holds the advisory lock that the server frees when this process
 * is killed, which is how others see the death at once (DESIGN §7.5).
 */
export class ExecutorLock {
  /** First half of the lock's key; the second is the executor's id. */
  static readonly CLASS = 7001;

  private constructor(
    private readonly client: pg.Client,
    readonly executor: ExecutorId,
    private readonly broken: AbortController,
  ) {}

  /** Makes the executor's row and takes its lock. Where that fails the connection is not kept: a lock on it would lie. */
  static async take(databaseUrl: string): Promise<ExecutorLock> {
    const config = connectionConfig(databaseUrl, hotConnection('parley-executor-lock'));
    const client = new pg.Client({ ...config, query_timeout: ANSWER_MS });
    const broken = new AbortController();
    client.on('error', () => broken.abort());
    client.on('end', () => broken.abort());
    try {
      await client.connect();
      const { rows } = await client.query<{ id: ExecutorId }>('select run_log_register() as id');
      const id = rows[0]?.id;
      if (id === undefined) throw new Error('run_log_register gave no id');
      return new ExecutorLock(client, id, broken);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  /** Aborted when the connection is gone: the executor must go on under a new id. */
  get lost(): AbortSignal {
    return this.broken.signal;
  }

  async release(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}
