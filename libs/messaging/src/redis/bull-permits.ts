import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Queue } from 'bullmq';
import { Permits } from '../permits.js';
import { PermitFetcher } from './permit-fetcher.js';
import { REDIS_PREFIX, RUNS_QUEUE } from './queues.js';
import { type RedisLink } from './redis-link.js';

/** Permits that may be on their way to Redis without an answer; what is added beyond them is lost. */
const MAX_UNANSWERED = 2_000;
/** Least time between two warnings of one kind, in milliseconds. */
const WARN_EACH_MS = 10_000;
/** How long closing waits for a fetch to end, in milliseconds. */
const CLOSE_MS = 1_000;
/** Wait after a fetch that failed, in milliseconds. */
const RETRY_MS = 200;

/**
 * Permits as BullMQ jobs without data. They are fetched by hand, and completed at once: nothing is locked, renewed or
 * delivered again, since a lost permit costs less than keeping it.
 */
export class BullPermits extends Permits {
  readonly #logger = new Logger(BullPermits.name);
  readonly #queue: Queue;
  readonly #fetcher: PermitFetcher;
  readonly #closing = new AbortController();
  /** The jobs of this tick. */
  #adding: PermitJob[] = [];
  readonly #sending = new Set<Promise<void>>();
  #unanswered = 0;
  #lost = 0;
  readonly #warnedAt = { add: -Infinity, take: -Infinity };
  #takers = 0;
  #fetching: Promise<void> | undefined;
  /** Fetched, and not taken yet. */
  #held = 0;
  #taken = 0;

  constructor(private readonly link: RedisLink) {
    super();
    this.#queue = new Queue(RUNS_QUEUE, {
      connection: link.commands,
      prefix: REDIS_PREFIX,
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
      // Nothing is asked before the first job: what fails then would fail this queue for ever.
      skipVersionCheck: true,
      skipMetasUpdate: true,
    });
    // Told by the link.
    this.#queue.on('error', () => undefined);
    this.#fetcher = new PermitFetcher(link, this.#queue);
  }

  /** How many permits this process has taken from the queue. */
  get taken(): number {
    return this.#taken;
  }

  /** Never waits for Redis: the run is in Postgres already, and an executor that hears nothing of it finds it there. */
  async add(count: number, dueAt?: Date): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const delay = dueAt ? dueAt.getTime() - Date.now() : 0;
    this.#addJobs(count, { name: 'permit', data: {}, ...(delay > 0 && { opts: { delay } }) });
  }

  async take(max: number, signal: AbortSignal): Promise<number> {
    this.#takers += 1;
    try {
      while (!signal.aborted && !this.#closing.signal.aborted) {
        const taken = Math.min(max, this.#held);
        this.#held -= taken;
        this.#taken += taken;
        if (taken > 0) return taken;
        this.#fetching ??= this.#fetch(max).finally(() => (this.#fetching = undefined));
        await settledOrAborted(this.#fetching, [signal, this.#closing.signal]);
      }
      return 0;
    } finally {
      this.#takers -= 1;
      if (this.#takers === 0 && this.#fetching) this.#fetcher.drop();
    }
  }

  /** Takers get 0; what was added is sent, and what was fetched for nobody is given back. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#fetcher.drop();
    await Promise.race([this.#fetching, sleep(CLOSE_MS, undefined, { ref: false })]);
    this.#send();
    await Promise.all(this.#sending);
    await this.#queue.close();
  }

  #addJobs(count: number, job: PermitJob): void {
    const added = Math.min(count, this.link.isUp ? MAX_UNANSWERED - this.#unanswered : 0);
    if (added < count) this.#lose(count - added, 'Redis is away or does not keep up');
    if (added === 0) return;
    this.#unanswered += added;
    if (this.#adding.length === 0) setImmediate(() => this.#send());
    for (let one = 0; one < added; one += 1) this.#adding.push(job);
  }

  #send(): void {
    const jobs = this.#adding;
    this.#adding = [];
    if (jobs.length === 0) return;
    const sending = this.#sendJobs(jobs).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #sendJobs(jobs: PermitJob[]): Promise<void> {
    try {
      await this.#queue.addBulk(jobs);
    } catch (error) {
      this.#lose(jobs.length, error instanceof Error ? error.message : String(error));
    }
    this.#unanswered -= jobs.length;
  }

  #lose(count: number, reason: string): void {
    this.#lost += count;
    if (!this.#mayWarn('add')) return;
    this.#logger.warn({ permits: this.#lost, reason }, 'permits were lost: executors find the runs by themselves');
    this.#lost = 0;
  }

  #onFailed(error: unknown): void {
    // That it is away is told by the link.
    if (!this.link.isUp || !this.#mayWarn('take')) return;
    this.#logger.warn({ reason: String(error) }, 'permits cannot be fetched: runs are found without them, later');
  }

  #mayWarn(about: 'add' | 'take'): boolean {
    const now = performance.now();
    if (now - this.#warnedAt[about] < WARN_EACH_MS) return false;
    this.#warnedAt[about] = now;
    return true;
  }

  /** Never rejects. */
  async #fetch(max: number): Promise<void> {
    try {
      await this.link.connected();
      if (this.#takers > 0) this.#held += await this.#fetcher.fetch(max);
    } catch (error) {
      this.#onFailed(error);
      await sleep(RETRY_MS);
    }
    if (this.#takers > 0) return;
    const unwanted = this.#held;
    this.#held = 0;
    this.#addJobs(unwanted, { name: 'permit', data: {} });
  }
}

interface PermitJob {
  name: string;
  data: Record<string, never>;
  opts?: { delay: number };
}

/** `promise` never rejects. */
const settledOrAborted = (promise: Promise<void>, signals: readonly AbortSignal[]): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      for (const signal of signals) signal.removeEventListener('abort', done);
      resolve();
    };
    for (const signal of signals) signal.addEventListener('abort', done);
    void promise.then(done);
  });
