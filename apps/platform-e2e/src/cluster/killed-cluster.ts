import { setTimeout as sleep } from 'node:timers/promises';
import { type VectaraClient } from '../client/vectara-client.js';
import { type KilledProduct } from '../product/restarted-product.js';
import { type Cluster, type ClusterPart } from './cluster.js';

/** How long after a disturbance a request may still fail: processes have to start again, on a machine that is busy. */
const AFTERMATH_MS = 20_000;
/** Pause before a client tries again, in milliseconds. */
const RETRY_MS = 100;

/** Something that was done to the cluster, and when, by `performance.now()`. */
export interface Disturbance {
  part: ClusterPart | 'postgres';
  at: number;
  /** While it lasts: Infinity. */
  until: number;
}

/** A cluster that is disturbed while clients talk to it. */
export class KilledCluster implements KilledProduct {
  readonly history: Disturbance[] = [];
  readonly listensSince = 0;
  #isFirst = true;

  constructor(readonly cluster: Cluster) {}

  get kills(): number {
    return this.history.length;
  }

  /** What stands behind the gateway may be away, or have been a moment ago. */
  excuses(kills: number): boolean {
    return kills !== this.kills || this.history.some(({ until }) => performance.now() - until < AFTERMATH_MS);
  }

  async client(): Promise<VectaraClient> {
    if (!this.#isFirst) await sleep(RETRY_MS);
    this.#isFirst = false;
    return this.cluster.client();
  }

  /** Kills one process of a part, as `kill -9` does. */
  async kill(part: ClusterPart, at: number): Promise<void> {
    const places = await this.cluster.places(part);
    if (places.length === 0) return;
    this.#note(part);
    await this.cluster.signal(part, 'SIGKILL', at % places.length);
  }

  /** Does something to a part that lasts as long as the promise. */
  async disturb(part: Disturbance['part'], act: () => Promise<unknown>): Promise<void> {
    const disturbance = { part, at: performance.now(), until: Infinity };
    this.history.push(disturbance);
    try {
      await act();
    } finally {
      disturbance.until = performance.now();
    }
  }

  #note(part: ClusterPart): void {
    const now = performance.now();
    this.history.push({ part, at: now, until: now });
  }
}
