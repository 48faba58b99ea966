import { Logger } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';

/** Where the Redis server is and who asks. */
export interface RedisSettings {
  /** `redis://<user>:<password>@<host>:<port>`, or `rediss://…`. */
  url: string;
}

const RETRY_MS = 200;
const CONNECT_TIMEOUT_MS = 2_000;
/** A server that is asked and says nothing for so long is taken to be gone, in milliseconds. */
const SILENCE_MS = 2_000;

const logger = new Logger('RedisLink');

/**
 * A process's way to Redis: connections that are made in the background, and made again without end. What is sent while
 * Redis is away fails at once and is not kept, because nothing in Redis is worth waiting for.
 */
export class RedisLink {
  readonly #connections: Redis[] = [];
  readonly #commands: Redis;
  /** Why Redis cannot be had, as far as is known; undefined while it can. */
  #reason: string | undefined;
  #isRefused = false;

  constructor(private readonly settings: RedisSettings) {
    this.#commands = this.open({ socketTimeout: SILENCE_MS });
    this.#commands.on('ready', () => this.#onUp());
  }

  /** The connection for what is answered at once. */
  get commands(): Redis {
    return this.#commands;
  }

  /** Whether Redis answers as far as this process knows. */
  get isUp(): boolean {
    return this.#commands.status === 'ready';
  }

  /**
   * Resolves when the connection for commands is ready, also where it takes for ever.
   * @throws Error when Redis refuses who asks, and when `signal` ends the wait.
   */
  connected(signal?: AbortSignal): Promise<void> {
    if (this.isUp) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (error?: Error): void => {
        this.#commands.off('ready', onReady).off('error', onError).off('end', onEnd);
        signal?.removeEventListener('abort', onEnd);
        if (error) reject(error);
        else resolve();
      };
      const onReady = (): void => settle();
      const onError = (error: Error): void => {
        if (isRefusal(error)) settle(new Error(this.#explain(error)));
      };
      const onEnd = (): void => settle(new Error('Redis is not waited for any more'));
      if (signal?.aborted) return onEnd();
      this.#commands.on('ready', onReady).on('error', onError).on('end', onEnd);
      signal?.addEventListener('abort', onEnd);
    });
  }

  /** For readiness: resolves when the server answers; rejects at once where it is known to be away. */
  async check(): Promise<void> {
    if (!this.isUp) throw new Error(this.#reason ?? 'Redis is not connected yet');
    await this.#commands.ping();
  }

  /** One more connection, for commands that wait. It ends with the link. */
  open(options: RedisOptions = {}): Redis {
    const connection = new Redis(this.settings.url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => RETRY_MS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // An app's user may not do more than its work: CLIENT is no part of it.
      disableClientInfo: true,
      ...options,
    });
    connection.on('error', (error: Error) => this.#onError(error));
    this.#connections.push(connection);
    return connection;
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    for (const connection of this.#connections) connection.disconnect();
  }

  #onUp(): void {
    if (this.#reason !== undefined) logger.log('Redis is back');
    this.#reason = undefined;
  }

  /** One line for each outage and each refusal. Never the error itself: it carries the command, and so the password. */
  #onError(error: Error): void {
    const isNews = this.#reason === undefined || isRefusal(error) !== this.#isRefused;
    if (!isNews) return;
    this.#reason = this.#explain(error);
    this.#isRefused = isRefusal(error);
    logger.warn({ reason: this.#reason }, 'Redis cannot be reached: it is tried again until it can');
  }

  #explain(error: Error): string {
    const { host, username } = new URL(this.settings.url);
    if (!isRefusal(error)) return `Redis at ${host}: ${error.message || error.name}`;
    const user = username === '' ? 'who names no user' : `user ${decodeURIComponent(username)}`;
    return `Redis at ${host} refuses ${user}: ${error.message.replace(/\.$/, '')}. Give it the name and password that the server knows`;
  }
}

/** Connects to Redis in the background; never throws. */
export const connectRedis = (settings: RedisSettings): RedisLink => new RedisLink(settings);

/** Whether Redis does not want whoever asks: waiting alone does not help. */
const isRefusal = (error: Error): boolean => /\b(WRONGPASS|NOAUTH|NOPERM)\b/.test(error.message);
