import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Queue, Worker, type BulkJobOptions } from 'bullmq';
import { Permits } from '../permits.js';
import { type RedisLink } from './redis-link.js';

const QUEUE = 'runs';
/** Every key of ours in Redis begins with it. */
export const REDIS_PREFIX = 'parley';
/** How long adding may take before what was added counts as lost, in milliseconds. */
const ADD_MS = 1_000;
/** Wait after a fetch that failed, in milliseconds. */
const RETRY_MS = 200;
/** Seconds that a fetch waits in Redis. */
const BLOCK_SECONDS = 5;

/**
 * Permits as BullMQ jobs without data. They are fetched by hand, and completed at once: nothing is locked, renewed or
 * delivered again, since a lost permit costs less than keeping it.
 */
export class BullPermits extends Permits {
  readonly #logger = new Logger(BullPermits.name);
  readonly #queue: Queue;
  #worker: Worker | undefined;
  #adding: { count: number; dueAt: Date | undefined }[] = [];
  /** Fetched, and not taken yet. */
  #held = 0;
  #fetching: Promise<void> | undefined;
  #isClosed = false;
  #taken = 0;

  constructor(private readonly link: RedisLink) {
    super();
    const defaultJobOptions = { removeOnComplete: true, removeOnFail: true };
    this.#queue = new Queue(QUEUE, { connection: link.commands, prefix: REDIS_PREFIX, defaultJobOptions });
    // Told by the link.
    this.#queue.on('error', () => undefined);
  }

  /** How many permits this process has taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Never waits for Redis: the run is in Postgres already, and an executor that hears nothing of it finds it there. */
  async add(count: number, dueAt?: Date): Promise<void> {
    if (this.#adding.push({ count, dueAt }) === 1) setImmediate(() => void this.#addAll());
  }

  async take(max: number, signal: AbortSignal): Promise<number> {
    while (this.#held === 0) {
      if (signal.aborted || this.#isClosed) return 0;
      this.#fetching ??= this.#fetch(max).finally(() => (this.#fetching = undefined));
      await settledOrAborted(this.#fetching, signal);
    }
    const taken = Math.min(max, this.#held);
    this.#held -= taken;
    this.#taken += taken;
    return taken;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([this.#worker?.close(true), this.#queue.close()]);
  }

  async #addAll(): Promise<void> {
    const adding = this.#adding;
    this.#adding = [];
    if (!this.link.isUp || this.#isClosed) return;
    const now = Date.now();
    const jobs = adding.flatMap(({ count, dueAt }) => {
      const delay = dueAt ? dueAt.getTime() - now : 0;
      const opts: BulkJobOptions = delay > 0 ? { delay } : {};
      return Array.from({ length: count }, () => ({ name: 'permit', data: {}, opts }));
    });
    const added = this.#queue.addBulk(jobs);
    try {
      await Promise.race([added, late()]);
    } catch (error) {
      added.catch(() => undefined);
      this.#logger.warn(
        { permits: jobs.length, err: error },
        'permits were lost: executors find the runs by themselves',
      );
    }
  }

  /** Waits for one permit, then takes what else there is, up to `max`. Never rejects. */
  async #fetch(max: number): Promise<void> {
    try {
      const worker = (this.#worker ??= this.#openWorker());
      this.#held += await this.#fetchOne(worker, true);
      for (let asked = 1; this.#held > 0 && this.#held < max; asked = Math.min(asked * 2, max - this.#held)) {
        const fetched = await Promise.all(Array.from({ length: asked }, () => this.#fetchOne(worker, false)));
        const count = fetched.reduce((sum, one) => sum + one, 0);
        this.#held += count;
        if (count < asked) return;
      }
    } catch (error) {
      if (this.#isClosed) return;
      this.#logger.debug({ err: error }, 'permits could not be fetched');
      await sleep(RETRY_MS);
    }
  }

  async #fetchOne(worker: Worker, block: boolean): Promise<number> {
    const job = await worker.getNextJob(TOKEN, { block });
    if (!job) return 0;
    await job.moveToCompleted(null, TOKEN, false);
    return 1;
  }

  #openWorker(): Worker {
    const worker = new Worker(QUEUE, null, {
      connection: this.link.open({}),
      prefix: REDIS_PREFIX,
      autorun: false,
      drainDelay: BLOCK_SECONDS,
      skipStalledCheck: true,
      skipLockRenewal: true,
    });
    worker.on('error', () => undefined);
    return worker;
  }
}

/** Nobody else looks at the lock of a job that is completed in the next moment. */
const TOKEN = 'permit';

/** `promise` never rejects. */
const settledOrAborted = (promise: Promise<void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    void promise.then(done);
  });

const late = async (): Promise<never> => {
  await sleep(ADD_MS, undefined, { ref: false });
  throw new Error(`Redis did not answer in ${ADD_MS} ms`);
};
