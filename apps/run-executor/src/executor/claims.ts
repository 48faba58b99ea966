import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type Permits } from '@parley/messaging';
import { type Slots } from './slots.js';

/** Wait before permits are asked for again where they cannot be had, in milliseconds. */
const PERMITS_WAIT_MS = 500;

/**
 * When to claim (DESIGN §6): for the permits that one tick brought, as far as there are free slots; now and then with
 * all free slots, whether or not anything was heard; and, after a claim that filled the last slot, again as soon as one
 * is free, since there may be more.
 */
export class Claims {
  readonly #logger = new Logger(Claims.name);
  /** The last claim with all free slots filled them: there may be more where that came from. */
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

  /** Claims with all free slots, unless a claim is under way. */
  async poll(): Promise<void> {
    if (!this.#claiming && this.slots.free > 0) await this.#claim(this.slots.free);
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

  #claim(wanted: number): Promise<void> {
    return (this.#claiming = this.#claimAll(wanted).finally(() => (this.#claiming = undefined)));
  }

  async #claimAll(wanted: number): Promise<void> {
    await this.#claimOnce(wanted);
    while (this.#hasMore && this.slots.free > 0) await this.#claimOnce(this.slots.free);
  }

  async #claimOnce(wanted: number): Promise<void> {
    const asked = this.slots.take(wanted);
    if (asked === 0) return;
    const withAll = this.slots.free === 0;
    let got = 0;
    try {
      got = await this.claim(asked);
    } catch (error) {
      this.#logger.warn({ err: error }, 'a claim was not answered');
    }
    this.slots.giveBack(asked - got);
    if (withAll || got < asked) this.#hasMore = got === asked;
  }
}
