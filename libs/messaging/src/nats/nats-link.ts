import { Logger } from '@nestjs/common';
import { PlatformError } from '@parley/core';
import { connect, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { type NatsSettings, optionsOf, RECONNECT_WAIT_MS } from './nats-settings.js';

/** What is heard of one subject or pattern, until it is stopped. */
export interface NatsSubscription {
  /** Hears nothing more at once. */
  stop(): void;
  /** Hears what was sent up to now, then nothing more. */
  drain(): Promise<void>;
}

/** How long an ending waits for the server's word. */
const ENDING_MS = 2_000;

const logger = new Logger('NatsLink');

/**
 * The one connection of a process to NATS. It is made in the background, and made again without end: subscriptions wait
 * for it and survive it; what would be sent while it is away is refused, not kept, because nobody waits that long.
 */
export class NatsLink {
  #connection: NatsConnection | undefined;
  #isUp = false;
  #isClosed = false;
  /** Subscriptions that wait for the first connection. */
  readonly #waiting = new Set<() => void>();
  /** Called when the connection breaks: who waits for an answer that is not going to come. */
  readonly #asking = new Set<() => void>();
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

  /** For readiness: resolves when the server answers, however late; rejects at once where it is known to be away. */
  async check(): Promise<void> {
    await this.#up.flush();
  }

  /** Resolves when the server knows of all that is subscribed to; waits for it as long as it takes. */
  async settled(): Promise<void> {
    for (;;) {
      await this.#connecting;
      if (this.#isClosed) throw away();
      const isThere = await this.check().then(
        () => true,
        () => false,
      );
      if (isThere) return;
      await pause(this.#closing.signal);
    }
  }

  /**
   * Asks, and waits no longer than the connection lives.
   * @throws PlatformError `unavailable`: the server is away, or went away; else what the client says.
   */
  async request(subject: string, data: Uint8Array, how: { timeout: number; headers: MsgHdrs }): Promise<Msg> {
    const connection = this.#up;
    return await new Promise((resolve, reject) => {
      const lost = (): void => reject(away());
      this.#asking.add(lost);
      const answer = connection.request(subject, data, how);
      answer.finally(() => this.#asking.delete(lost)).then(resolve, reject);
    });
  }

  /** Tells whoever hears it; where the server is away nobody does. What is said in one go leaves in one write. */
  publish(subject: string, data: Uint8Array | string): void {
    if (!this.#isUp) return;
    try {
      this.#connection?.publish(subject, data);
    } catch (error) {
      logger.warn({ subject, err: error }, 'a message could not be sent');
    }
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
        if (this.#isUp && subscription) await ended(subscription.drain());
        else subscription?.unsubscribe();
      },
    };
  }

  /** Sends what is left and ends the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    const connection = this.#connection;
    if (!connection) return;
    if (this.#isUp) await ended(connection.flush());
    this.#lose();
    await connection.close();
  }

  get #up(): NatsConnection {
    if (!this.#connection || !this.#isUp) throw away();
    return this.#connection;
  }

  #lose(): void {
    this.#isUp = false;
    for (const lost of this.#asking) lost();
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
          this.#lose();
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
          this.#lose();
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

const away = (): PlatformError => new PlatformError('unavailable', 'the message bus is away');

/** Waits for an ending, but not for a server that says nothing more. */
const ended = (ending: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ENDING_MS);
    const done = (): void => (clearTimeout(timer), resolve());
    ending.then(done, done);
  });

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, RECONNECT_WAIT_MS);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
