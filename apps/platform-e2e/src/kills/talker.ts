import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStream } from '../client/event-stream.js';
import { isUnconfirmed } from '../client/fold.js';
import { type Saying, type VectaraClient } from '../client/vectara-client.js';
import { type Frame, type SessionKeys, wordsOf } from '../client/wire.js';
import { type Chance } from '../product/chance.js';
import { type KilledProduct } from '../product/restarted-product.js';

/** How a talker says something while others have the turn: it never does, it waits for its own, or it breaks in. */
export type Manner = 'alone' | 'follow_up' | 'steer';

/** A connection that was lost, and how it went on. */
export interface Break {
  /** Text was being streamed, and nothing of it was stored. */
  midStream: boolean;
  /** The first frame after it. */
  first: Frame | undefined;
  /** From the new process's listening to the first frame that shows the run going on, in milliseconds. */
  wentOnAfterMs: number | undefined;
}

const MAX_PAUSE_MS = 300;

/**
 * A client of one session that says one thing after another and wants to see what becomes of each. Where its connection
 * breaks it comes back with the last id that it has; where its words are not in the session then, it says them again.
 */
export class Talker {
  /** Every frame, over all connections, in the order in which they came. */
  readonly received: Frame[] = [];
  readonly breaks: Break[] = [];
  readonly said: string[] = [];
  /** Told each frame, and the one before it, as they come. */
  onFrame: (frame: Frame, before: Frame | undefined) => void = () => undefined;
  #heardAt = 0;

  constructor(
    readonly name: string,
    private readonly product: KilledProduct,
    readonly session: SessionKeys,
    private readonly manner: Manner,
    private readonly chance: Chance,
  ) {}

  /** Text of a reply is arriving, from the process that runs now. */
  get isMidStream(): boolean {
    return this.#heardAt > this.product.listensSince && isUnconfirmed(this.received.at(-1));
  }

  async talk(goesOn: (said: number) => boolean): Promise<void> {
    for (let n = 1; goesOn(n - 1); n += 1) {
      await sleep(this.chance.between(0, MAX_PAUSE_MS));
      const words = `${this.name} ${n}`;
      this.said.push(words);
      while (!this.#isSaid(words)) await this.#follow((client) => client.say(this.session, words, this.#saying()));
    }
  }

  /** Reads what others have done since. */
  async catchUp(): Promise<void> {
    await this.#follow((client) => client.listen(this.session, this.#lastId));
  }

  #isSaid(words: string): boolean {
    return this.received.some(({ event }) => event.type === 'input_message' && wordsOf(event).includes(words));
  }

  #saying(): Saying {
    return this.manner === 'alone' ? {} : { since: this.#lastId ?? 'start', behavior: this.manner };
  }

  get #lastId(): string | undefined {
    return this.received.findLast(({ id }) => id !== null)?.id ?? undefined;
  }

  /** Reads a stream to its end, over as many connections as it takes. */
  async #follow(open: (client: VectaraClient) => Promise<EventStream>): Promise<void> {
    for (let next = open; ; next = (client) => client.listen(this.session, this.#lastId)) {
      const client = await this.product.client();
      const { kills } = this.product;
      try {
        const stream = await next(client);
        for await (const frame of stream.frames()) this.#take(frame);
        return;
      } catch (error) {
        if (!this.product.excuses(kills)) throw new Error(`${this.name}: ${String(error)}`, { cause: error });
        this.breaks.push({
          midStream: isUnconfirmed(this.received.at(-1)),
          first: undefined,
          wentOnAfterMs: undefined,
        });
      }
    }
  }

  #take(frame: Frame): void {
    this.onFrame(frame, this.received.at(-1));
    this.received.push(frame);
    this.#heardAt = performance.now();
    const broken = this.breaks.at(-1);
    if (!broken) return;
    broken.first ??= frame;
    if (frame.event.type !== 'streaming_restarted') {
      broken.wentOnAfterMs ??= performance.now() - this.product.listensSince;
    }
  }
}
