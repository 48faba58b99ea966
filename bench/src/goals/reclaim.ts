import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endingEvents, apply } from '@parley/core';
import { type ClaimedRun, type ExecutorId, PostgresRunLog } from '@parley/persistence';
import { admitAll, furnish } from '../log/furnish.js';
import { type HolderOrder } from '../log/holder-process.js';
import { quantile } from '../report/quantile.js';
import { startEmbedded } from '../rig/databases.js';
import { type Rig } from '../rig/rig.js';
import { type Goal } from './goal.js';

const KILLS = 25;
const RUNS = 50;
/** As run-executor looks for dead executors. */
const LOOK_EVERY_MS = 250;

/** How long after `kill -9` of its holder a run is queued again, in the log alone: two processes, one of them dies. */
export const reclaim: Goal = {
  id: 'kill',
  title: `kill -9 of the holder of ${RUNS} runs → all of them queued again`,
  async measure(rig) {
    const { url } = await startEmbedded(rig);
    const log = PostgresRunLog.connect(url, 'parley-bench');
    rig.owns(() => log.close());
    const survivor = new Survivor(log, await log.register(), url);
    const times: number[] = [];
    const sessions = await furnish(url, RUNS);
    for (let kill = 0; kill < KILLS; kill++) {
      await admitAll(log, sessions);
      times.push(await survivor.outlive(rig));
      await survivor.endAll();
    }
    return [
      { name: `p50 of ${KILLS}`, value: quantile(times, 0.5), unit: 'ms' },
      { name: `p99 of ${KILLS}`, value: quantile(times, 0.99), unit: 'ms', target: { most: 300 } },
    ];
  },
};

/** The executor that lives on. */
class Survivor {
  constructor(
    private readonly log: PostgresRunLog,
    private readonly executor: ExecutorId,
    private readonly databaseUrl: string,
  ) {}

  /** Lets another process claim all runs, kills it, and answers when its runs were reclaimed, in milliseconds after. */
  async outlive(rig: Rig): Promise<number> {
    const script = fileURLToPath(new URL('../log/holder-process.js', import.meta.url));
    const holder = rig.start({ script, name: 'holder' });
    const order: HolderOrder = { databaseUrl: this.databaseUrl, runs: RUNS };
    const held = new Set(await holder.ask<string[]>(order));
    if (held.size !== RUNS) throw new Error(`${held.size} runs of ${RUNS} were claimed`);
    await sleep(Math.random() * LOOK_EVERY_MS);
    const reclaimed = this.#reclaim(held);
    await sleep(LOOK_EVERY_MS + Math.random() * LOOK_EVERY_MS);
    const killedAt = performance.now();
    await holder.kill();
    return (await reclaimed) - killedAt;
  }

  async endAll(): Promise<void> {
    const claimed = await this.log.claim(this.executor, RUNS);
    if (claimed.length !== RUNS) throw new Error(`${claimed.length} runs of ${RUNS} were queued again`);
    await Promise.all(claimed.map((run) => this.#end(run)));
  }

  /** Looks until all of these runs are back; none may come twice, and no other. */
  async #reclaim(held: Set<string>): Promise<number> {
    while (held.size > 0) {
      await this.log.heartbeat(this.executor);
      for (const { run } of await this.log.reclaim(this.executor, 'dead')) {
        if (!held.delete(run)) throw new Error(`run ${run} was reclaimed twice, or was not the dead one's`);
      }
      if (held.size > 0) await sleep(LOOK_EVERY_MS);
    }
    return performance.now();
  }

  async #end({ tenant, session, run, epoch, head }: ClaimedRun): Promise<void> {
    if (!head.run) throw new Error('a claimed run does not have the turn');
    const end = { state: 'cancelled', reason: null } as const;
    const bodies = endingEvents(head, head.run, end);
    const next = bodies.reduce((before, body) => apply(before, { seq: before.seq + 1, run, body }), head);
    const addition = { seq: head.seq, events: bodies.map((body) => ({ body })), head: next, taken: [], left: [] };
    const { outcome } = await this.log.finish({ tenant, session, run, epoch, executor: this.executor }, addition, end);
    if (outcome !== 'written') throw new Error(`the end of a run was answered '${outcome}'`);
  }
}
