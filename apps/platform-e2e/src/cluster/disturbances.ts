import { setTimeout as sleep } from 'node:timers/promises';
import { type Chance } from '../product/chance.js';
import { type ClusterPart } from './cluster.js';
import { type KilledCluster } from './killed-cluster.js';

/** What a disturber works with. */
export interface DisturbedCluster {
  product: KilledCluster;
  chance: Chance;
  /** Whether there is still somebody who has not said all. */
  goesOn: () => boolean;
  say: (line: string) => void;
}

/** Disturbs a cluster; resolves when it is over. */
export type Disturber = (disturbed: DisturbedCluster) => Promise<void>;

/** Who is killed, executors most. */
const VICTIMS: readonly ClusterPart[] = [
  ...(['run-executor', 'run-executor', 'run-executor', 'run-executor'] as const),
  ...(['session', 'gateway', 'agent-registry'] as const),
];

/** Every one to three seconds some process of an app is killed, while there is talk. */
export const killServices: Disturber = async ({ product, chance, goesOn, say }) => {
  while (goesOn()) {
    await sleep(chance.between(1_000, 3_000));
    if (!goesOn()) return;
    await product.kill(VICTIMS[chance.between(0, VICTIMS.length - 1)] ?? 'run-executor', chance.between(0, 9));
    if (product.kills % 10 === 0) say(`${product.kills} kills`);
  }
};

/** A server is killed and comes back after so many seconds, one time after the other. */
export const takeDown =
  (server: 'nats' | 'redis', seconds: readonly number[]): Disturber =>
  async ({ product, say }) => {
    for (const down of seconds) {
      await sleep(3_000);
      await product.disturb(server, async () => {
        await product.cluster.command(`down ${server}`);
        await sleep(down * 1_000);
        await product.cluster.command(`up ${server}`);
      });
      say(`${server} was away for ${down} s`);
    }
    await sleep(3_000);
  };

/** The database is told to stop at once, as by `pg_ctl -m immediate`, and is started again, so many times. */
export const restartPostgres =
  (times: number): Disturber =>
  async ({ product, chance, say }) => {
    for (let done = 1; done <= times; done += 1) {
      await sleep(chance.between(1_000, 4_000));
      await product.disturb('postgres', async () => {
        await product.cluster.signalPostgres('SIGQUIT');
        await sleep(1_000);
      });
      say(`${done} restarts of Postgres`);
    }
    await sleep(3_000);
  };

/** An executor stands still for so long, holding what it holds, and goes on. */
export const freezeExecutor =
  (seconds: number): Disturber =>
  async ({ product, say }) => {
    await sleep(3_000);
    await product.disturb('run-executor', async () => {
      await product.cluster.signal('run-executor', 'SIGSTOP', 0);
      await sleep(seconds * 1_000);
      await product.cluster.signal('run-executor', 'SIGCONT', 0);
    });
    say(`an executor stood still for ${seconds} s`);
    await sleep(5_000);
  };
