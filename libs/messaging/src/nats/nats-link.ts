import { Logger } from '@nestjs/common';
import { PlatformError } from '@parley/core';
import { connect, type Msg, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';

/** Where the NATS server is and who asks. */
export interface NatsSettings {
  /** `nats://<user>:<password>@<host>:<port>`, or `tls://…`. */
  url: string;
  /** Shown in the server's list of connections. */
  name: string;
}

/** What is heard of one subject or pattern, until it is stopped. */
export interface NatsSubscription {
  /** Hears nothing more at once. */
  stop(): void;
  /** Hears what was sent up to now, then nothing more. */
  drain(): Promise<void>;
}

/** A server that has not answered this many pings, this far apart in milliseconds, is taken to be gone. */
const PING_INTERVAL_MS = 2_000;
const MAX_UNANSWERED_PINGS = 2;
const RECONNECT_WAIT_MS = 200;
const CONNECT_TIMEOUT_MS = 2_000;

const logger = new Logger('NatsLink');

/**
 * The one connection of a process to NATS. It is made in the background, and made again without end: subscriptions wait
 * for it and survive it; what would be sent while it is away is refused, not kept, because nobody waits that long.
 */
export class NatsLink {
  #connection: NatsConnection | undefined;
  #isUp = false;
  #isClosed = false;
  readonly #waiting = new Set<() => void>();
  readonly #closing = new AbortController();
  readonly #connecting: Promise<void>;

  constructor(private readonly settings: NatsSettings) {
    this.#connecting = this.#connect();
  }

  /** Whether what is sent now is on its way. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Resolves at the first connection. */
  async connected(): Promise<void> {
    await this.#connecting;
  }

  /** Bytes that the server takes in one message. */
  get maxPayload(): number {
    return this.#connection?.info?.max_payload ?? 2 ** 20;
  }

  /** The connection. @throws PlatformError `unavailable` while there is none. */
  get connection(): NatsConnection {
    if (!this.#connection || !this.#isUp) throw new PlatformError('unavailable', 'the message bus is away');
    return this.#connection;
  }

  /** For readiness: resolves when the server answers, however late; rejects at once where it is known to be away. */
  async check(): Promise<void> {
    await this.connection.flush();
  }

  /** Hears `subject`, from now or from the first connection on; with `queue`, shared with others of that name. */
  subscribe(subject: string, hear: (message: Msg) => void, queue?: string): NatsSubscription {
    let subscription: ReturnType<NatsConnection['subscribe']> | undefined;
    const begin = (): void => {
      const callback = (error: Error | null, message: Msg): void => {
        if (error) logger.error({ subject, err: error }, 'NATS refuses a subscription');
        else hear(message);
      };
      subscription = this.#connection?.subscribe(subject, { callback, ...(queue !== undefined && { queue }) });
    };
    if (this.#connection) begin();
    else this.#waiting.add(begin);
    return {
      stop: () => {
        this.#waiting.delete(begin);
        subscription?.unsubscribe();
      },
      drain: async () => {
        this.#waiting.delete(begin);
        await subscription?.drain();
      },
    };
  }

  /** Sends what is left and ends the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    const connection = this.#connection;
    if (!connection) return;
    if (this.#isUp) await connection.flush().catch(() => undefined);
    await connection.close();
    await this.#connecting;
  }

  async #connect(): Promise<void> {
    const options = optionsOf(this.settings);
    let isNews = true;
    while (!this.#isClosed) {
      try {
        const connection = await connect(options);
        if (this.#isClosed) return await connection.close();
        this.#connection = connection;
        this.#isUp = true;
        for (const begin of this.#waiting) begin();
        this.#waiting.clear();
        void this.#watch(connection);
        return;
      } catch (error) {
        if (isNews) logger.warn({ err: error }, 'NATS cannot be reached: it is tried again until it can');
        isNews = false;
        await pause(this.#closing.signal);
      }
    }
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      switch (status.type) {
        case 'disconnect':
          this.#isUp = false;
          if (!this.#isClosed)
            logger.warn({ server: status.server }, 'the connection to NATS is gone: it is made again');
          break;
        case 'reconnect':
          this.#isUp = true;
          logger.log({ server: status.server }, 'the connection to NATS is back');
          break;
        case 'error':
          logger.error({ err: status.error }, 'NATS reports an error');
          break;
        case 'close':
          this.#isUp = false;
          break;
        case 'forceReconnect':
        case 'ldm':
        case 'ping':
        case 'reconnecting':
        case 'slowConsumer':
        case 'staleConnection':
        case 'update':
          break;
      }
    }
  }
}

/** Connects to NATS in the background; never rejects. */
export const connectNats = (settings: NatsSettings): NatsLink => new NatsLink(settings);

const optionsOf = ({ url, name }: NatsSettings): NodeConnectionOptions => {
  const { protocol, hostname, port, username, password } = new URL(url);
  const user = decodeURIComponent(username);
  return {
    servers: `${hostname}:${port || '4222'}`,
    user,
    pass: decodeURIComponent(password),
    name,
    // Answers to one app's questions are not to be read by another app: each user may hear its own inbox only.
    inboxPrefix: `_INBOX_${user}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    reconnectJitter: RECONNECT_WAIT_MS,
    // Credentials that are being changed are no reason to give up.
    ignoreAuthErrorAbort: true,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: MAX_UNANSWERED_PINGS,
    // A stack trace for each request was 6.5 % of a gateway's time.
    noAsyncTraces: true,
    ...(protocol === 'tls:' && { tls: {} }),
  };
};

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, RECONNECT_WAIT_MS);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
