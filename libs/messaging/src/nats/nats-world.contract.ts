import { TestNats } from '@parley/testing';
import { Logger } from '@nestjs/common';
import { PlatformError } from '@parley/core';
import { NatsBus } from './nats-bus.js';
import { NatsFrames } from './nats-frames.js';
import { connectNats, type NatsLink } from './nats-link.js';

/** One process on NATS. */
export interface Side {
  link: NatsLink;
  bus: NatsBus;
  frames: NatsFrames;
}

/** A NATS server, the processes around it, and what they told the log. Everything ends with `remove`. */
export class NatsWorld {
  /** Warnings and errors. */
  readonly logged: string[] = [];
  readonly #links: NatsLink[] = [];
  readonly #rejections: unknown[] = [];
  readonly #note = (reason: unknown): unknown => this.#rejections.push(reason);

  private constructor(readonly nats: TestNats) {
    process.on('unhandledRejection', this.#note);
    const [ignore, keep] = [() => undefined, (...told: unknown[]) => void this.logged.push(printed(told))];
    Logger.overrideLogger({ log: ignore, error: keep, warn: keep });
  }

  /** The server is not started yet. */
  static async create(config?: string): Promise<NatsWorld> {
    return new NatsWorld(await TestNats.create(config));
  }

  static async start(config?: string): Promise<NatsWorld> {
    const world = await NatsWorld.create(config);
    await world.nats.start();
    return world;
  }

  /** A process; it need not be connected yet. */
  open(user?: string): Side {
    const link = connectNats({ url: this.nats.url(user), name: user ?? 'test' });
    this.#links.push(link);
    return { link, bus: new NatsBus(link), frames: new NatsFrames(link) };
  }

  /** The same, connected. */
  async join(user?: string): Promise<Side> {
    const side = this.open(user);
    await side.link.connected();
    return side;
  }

  /** Ends all. @throws what no code had caught meanwhile. */
  async remove(): Promise<void> {
    this.nats.resume();
    await Promise.all(this.#links.map((link) => link.close()));
    await this.nats.remove();
    process.off('unhandledRejection', this.#note);
    Logger.overrideLogger(['error', 'warn']);
    if (this.#rejections.length > 0) throw new AggregateError(this.#rejections, 'rejections that nobody handled');
  }
}

/** How a question ended: `answered`, or the code of its error; and after how many milliseconds. */
export interface Ending {
  code: string;
  message: string;
  afterMs: number;
}

/** Waits for the end of a question, which must be an answer or a `PlatformError`. */
export const endingOf = async (question: () => Promise<unknown>): Promise<Ending> => {
  const start = performance.now();
  const outcome = await question().then(
    () => undefined,
    (error: unknown) => error,
  );
  const afterMs = performance.now() - start;
  if (outcome === undefined) return { code: 'answered', message: '', afterMs };
  if (!(outcome instanceof PlatformError)) throw new TypeError('expected a PlatformError', { cause: outcome });
  return { code: outcome.code, message: outcome.message, afterMs };
};

const printed = (told: unknown): string =>
  JSON.stringify(told, (_key, part: unknown) => (part instanceof Error ? String(part) : part));
