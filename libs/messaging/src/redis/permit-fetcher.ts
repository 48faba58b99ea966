import { type Queue, Worker } from 'bullmq';
import { type Redis } from 'ioredis';
import { REDIS_PREFIX, RUNS_QUEUE } from './queues.js';
import { type RedisLink } from './redis-link.js';

/** BullMQ's word for "take no lock": nothing is renewed, and nothing is delivered again. */
const NO_LOCK = '0';
/** Seconds that a fetch waits in Redis: the latest at which a taker sees what another one was rung for and left. */
const BLOCK_SECONDS = 2;
/** BullMQ waits up to 10 s for what is delayed; a fetch that takes longer than this hangs, in milliseconds. */
const HANGS_MS = 12_000;
/** What was fetched and not completed for so long, in milliseconds, is removed: its taker died in between. */
const ABANDONED_MS = 60_000;
const ABANDONED_AT_ONCE = 1_000;

/**
 * Fetches permits by hand, with a BullMQ worker that is made when it is needed. Whatever is wrong with a worker (its
 * connection broke, its fetch hangs, nobody wants it now) has one remedy: it is dropped, and the next fetch makes
 * another. Dropping frees the connection that is blocked in Redis at once.
 */
export class PermitFetcher {
  #connection: Redis | undefined;
  #worker: Worker | undefined;

  constructor(
    private readonly link: RedisLink,
    private readonly queue: Queue,
  ) {}

  /** Waits some seconds for a permit, then takes what else there is, up to `max`. Rejects when Redis cannot be had. */
  async fetch(max: number): Promise<number> {
    const worker = (this.#worker ??= this.#open());
    let timer: NodeJS.Timeout | undefined;
    const hangs = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`a fetch of permits hangs for ${HANGS_MS} ms`)), HANGS_MS);
    });
    try {
      return await Promise.race([this.#fetch(worker, max), hangs]);
    } catch (error) {
      if (worker === this.#worker) this.drop();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the wait of a fetch that is under way. */
  drop(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.close(true).catch(() => undefined);
  }

  async #fetch(worker: Worker, max: number): Promise<number> {
    const job = await worker.getNextJob(NO_LOCK);
    if (!job) return 0;
    // How many more there are is asked for in the trip that completes the first.
    const [waiting] = await Promise.all([
      max > 1 ? this.queue.getWaitingCount() : 0,
      job.moveToCompleted(null, NO_LOCK, false),
    ]);
    const rest = Array.from({ length: Math.min(waiting, max - 1) }, () => this.#fetchOne(worker));
    return (await Promise.all(rest)).reduce((sum, one) => sum + one, 1);
  }

  async #fetchOne(worker: Worker): Promise<number> {
    const job = await worker.getNextJob(NO_LOCK, { block: false });
    if (!job) return 0;
    await job.moveToCompleted(null, NO_LOCK, false);
    return 1;
  }

  #open(): Worker {
    this.#connection ??= this.link.open();
    const worker = new Worker(RUNS_QUEUE, null, {
      connection: this.#connection,
      prefix: REDIS_PREFIX,
      autorun: false,
      drainDelay: BLOCK_SECONDS,
      skipStalledCheck: true,
      skipLockRenewal: true,
    });
    // Told by the link, and by the fetch that fails for it.
    worker.on('error', () => undefined);
    this.queue.clean(ABANDONED_MS, ABANDONED_AT_ONCE, 'active').catch(() => undefined);
    return worker;
  }
}
