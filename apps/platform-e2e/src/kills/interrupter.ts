import { setTimeout as sleep } from 'node:timers/promises';
import { type SessionKeys, type WireEvent } from '../client/wire.js';
import { type Chance } from '../product/chance.js';
import { type KilledProduct } from '../product/restarted-product.js';

/** Somebody who ends turns of a session at random moments. */
export class Interrupter {
  /** What the answers told of: it must be in the session for ever. */
  readonly told: WireEvent[] = [];
  readonly refusals: string[] = [];

  constructor(
    private readonly product: KilledProduct,
    readonly session: SessionKeys,
    private readonly chance: Chance,
  ) {}

  async disturb(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      await sleep(this.chance.between(300, 2_500));
      const client = await this.product.client();
      const { kills } = this.product;
      try {
        const { status, text } = await client.interrupt(this.session);
        if (status === 201) this.told.push(...(JSON.parse(text) as { events: WireEvent[] }).events);
        else this.refusals.push(`${status} ${text}`);
      } catch (error) {
        if (!this.product.excuses(kills)) throw error;
      }
    }
  }
}
