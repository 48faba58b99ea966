import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type Permits } from '@parley/messaging';
import { type Slots } from './slots.js';

/** Wait before permits are asked for again where they cannot be had, in milliseconds. */
const PERMITS_WAIT_MS = 500;

/**
 * When to claim (DESIGN §6): for the permits that one tick brought, as far as there are free slots; now and then,
 * whether or not anything was heard; and again as long as a claim got all it asked for and permits do not say that this
 * was all. A claim that nobody rang for asks for half of the free slots: the rest stays open to what comes meanwhile.
 */
export class Claims {
  readonly #logger = new Logger(Claims.name);
  /** There may be more where the last claim got its runs from. */
  #hasMore = false;
  #claiming: Promise<void> | undefined;

  /** @param claim takes up to so many runs; answers how many there were. */
  constructor(
    private readonly slots: Slots,
    private readonly permits: Permits,
    private readonly claim: (slots: number) => Promise<number>,
  ) {}

  /** Claims for permits until `signal` ends it. */
  async listen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.slots.opened();
      const permits = await this.#take(signal);
      if (permits === 0) continue;
      await this.#claiming;
      await this.#claim(permits);
    }
  }

  /** Claims without a permit, unless a claim is under way. Never rejects. */
  async poll(): Promise<void> {
    if (!this.#claiming && this.slots.free > 0) await this.#claim();
  }

  /** A slot has become free. */
  onFreeSlot(): void {
    if (this.#hasMore) void this.poll();
  }

  /** Resolves when no claim is under way. */
  async settled(): Promise<void> {
    await this.#claiming;
  }

  async #take(signal: AbortSignal): Promise<number> {
    try {
      return await this.permits.take(this.slots.free, signal);
    } catch (error) {
      this.#logger.warn({ err: error }, 'permits cannot be had');
      await sleep(PERMITS_WAIT_MS, undefined, { signal }).catch(() => undefined);
      return 0;
    }
  }

  #claim(permits?: number): Promise<void> {
    return (this.#claiming = this.#claimAll(permits).finally(() => (this.#claiming = undefined)));
  }

  async #claimAll(permits?: number): Promise<void> {
    await this.#claimOnce(permits);
    while (this.#hasMore && this.slots.free > 0) await this.#claimOnce();
  }

  async #claimOnce(permits?: number): Promise<void> {
    const asked = this.slots.take(permits ?? Math.ceil(this.slots.free / 2));
    if (asked === 0) return;
    let got = 0;
    try {
      got = await this.claim(asked);
    } catch (error) {
      this.#logger.warn({ err: error }, 'a claim was not answered');
    }
    if (got > 0) this.#logger.debug({ runs: got, permits: permits ?? 0 }, 'claimed');
    this.slots.giveBack(asked - got);
    if (got < asked) this.#hasMore = false;
    else if (asked !== permits) this.#hasMore = true;
  }
}
