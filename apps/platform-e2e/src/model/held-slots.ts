import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from 'pg';
import { productDatabase } from '../product/product-database.js';

const LOOK_EVERY_MS = 50;
const HELD = `select id, epoch from runs where state = 'running'`;

/** Looks again and again who holds a slot, through a product's database: how long did anybody, at most? */
export class HeldSlots {
  longestMs = 0;
  readonly #since = new Map<string, number>();
  readonly #stop = new AbortController();
  #looking: Promise<void> | undefined;

  /** @param folder the data folder of the product. */
  constructor(private readonly folder: string) {}

  async watch(): Promise<void> {
    const client = productDatabase(this.folder);
    await client.connect();
    this.#looking = this.#look(client).finally(() => client.end());
  }

  /** Looks no more. @throws Error what went wrong with looking. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#looking;
  }

  async #look(client: Client): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const { rows } = await client.query<{ id: string; epoch: number }>(HELD);
      const now = performance.now();
      const held = new Set(rows.map(({ id, epoch }) => `${id} ${epoch}`));
      for (const one of this.#since.keys()) if (!held.has(one)) this.#since.delete(one);
      for (const one of held) {
        const since = this.#since.get(one) ?? now;
        this.#since.set(one, since);
        this.longestMs = Math.max(this.longestMs, now - since);
      }
      await sleep(LOOK_EVERY_MS);
    }
  }
}
