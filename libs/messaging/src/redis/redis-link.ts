import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import { Redis, type RedisOptions } from 'ioredis';

/** Where the Redis server is and who asks. */
export interface RedisSettings {
  /** `redis://<user>:<password>@<host>:<port>`, or `rediss://…`. */
  url: string;
}

const RETRY_MS = 200;
const CONNECT_TIMEOUT_MS = 2_000;

const logger = new Logger('RedisLink');

/**
 * A process's way to Redis: connections that are made in the background, and made again without end. What would be sent
 * while Redis is away fails at once, because nothing in Redis is worth waiting for.
 */
export class RedisLink {
  readonly #connections: Redis[] = [];
  readonly #commands: Redis;
  #isNews = true;

  constructor(private readonly settings: RedisSettings) {
    this.#commands = this.open({ enableOfflineQueue: false });
  }

  /** The connection for what is answered at once. */
  get commands(): Redis {
    return this.#commands;
  }

  /** Whether Redis answers as far as this process knows. */
  get isUp(): boolean {
    return this.#commands.status === 'ready';
  }

  /** Resolves when the connection for commands is ready. */
  async connected(): Promise<void> {
    if (!this.isUp) await once(this.#commands, 'ready');
  }

  /** For readiness: resolves when the server answers, however late; rejects at once where it is known to be away. */
  async check(): Promise<void> {
    await this.#commands.ping();
  }

  /** One more connection, for commands that block. It ends with the link. */
  open(options: RedisOptions): Redis {
    const connection = new Redis(this.settings.url, {
      maxRetriesPerRequest: null,
      retryStrategy: () => RETRY_MS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      enableReadyCheck: true,
      ...options,
    });
    connection.on('error', (error: Error) => {
      if (this.#isNews) logger.warn({ err: error }, 'Redis cannot be reached: it is tried again until it can');
      this.#isNews = false;
    });
    connection.on('ready', () => (this.#isNews = true));
    this.#connections.push(connection);
    return connection;
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    for (const connection of this.#connections) connection.disconnect();
  }
}

/** Connects to Redis in the background; never throws. */
export const connectRedis = (settings: RedisSettings): RedisLink => new RedisLink(settings);
