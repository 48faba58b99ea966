import { setTimeout as sleep } from 'node:timers/promises';
import { claimsIn, type Cluster } from './cluster.js';

/** How fast a cluster is with so many executors. */
export interface Throughput {
  executors: number;
  runsPerSecond: number;
  /** Runs of the busiest executor by those of the idlest. */
  spread: number;
}

/** Sessions keep a cluster busy whose executors have few slots and whose model takes a second: slots are the limit. */
export class Scale {
  #isOver = false;
  #finished = 0;

  /** @param cluster started with LOG_LEVEL=debug and few slots. */
  constructor(private readonly cluster: Cluster) {}

  /** Measures one number of executors after the other, while `sessions` talk. */
  async measure(counts: readonly number[], sessions: number, seconds: number): Promise<Throughput[]> {
    const client = this.cluster.client();
    const agent = await client.makeAgent('paced', 'openai/sim-20-50');
    const talking = Promise.all(Array.from({ length: sessions }, (_, at) => this.#talk(agent, `p${at}`)));
    const measured: Throughput[] = [];
    for (const executors of counts) {
      await this.cluster.command(`scale run-executor ${executors}`);
      await this.#ready(executors);
      await sleep(3_000);
      measured.push(await this.#measured(executors, seconds));
    }
    this.#isOver = true;
    await talking;
    return measured;
  }

  async #measured(executors: number, seconds: number): Promise<Throughput> {
    const before = { finished: this.#finished, claimed: this.#claimed() };
    await sleep(seconds * 1_000);
    const shares = [...this.#claimed()]
      .map(([pid, runs]) => runs - (before.claimed.get(pid) ?? 0))
      .filter((runs) => runs > 0);
    return {
      executors,
      runsPerSecond: (this.#finished - before.finished) / seconds,
      spread: Math.max(...shares) / Math.min(...shares),
    };
  }

  async #talk(agent: string, name: string): Promise<void> {
    const client = this.cluster.client();
    const session = await client.makeSession(agent, name);
    while (!this.#isOver) {
      await (await client.say(session, 'On and on.')).all();
      this.#finished += 1;
    }
  }

  async #ready(executors: number): Promise<void> {
    const places = await this.cluster.places('run-executor');
    if (places.length !== executors) throw new Error(`${places.length} executors run`);
    for (const { url } of places) {
      while (
        !(await fetch(`${url}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        ))
      )
        await sleep(100);
    }
  }

  /** Runs that each executor process has claimed. */
  #claimed(): Map<number, number> {
    const claimed = new Map<number, number>();
    const lines = this.cluster.logs('run-executor').filter((line) => line.includes('"msg":"claimed"'));
    for (const line of lines) {
      const { pid } = JSON.parse(line) as { pid: number };
      const [claim] = claimsIn([line]);
      claimed.set(pid, (claimed.get(pid) ?? 0) + (claim?.runs ?? 0));
    }
    return claimed;
  }
}
