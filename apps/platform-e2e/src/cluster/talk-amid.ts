import { type SessionKeys } from '../client/wire.js';
import { Talker } from '../kills/talker.js';
import { judge, merged, type Verdict } from '../kills/verdict.js';
import { Chance } from '../product/chance.js';
import { Cluster } from './cluster.js';
import { type Disturber } from './disturbances.js';
import { KilledCluster } from './killed-cluster.js';

/** Replies of one to three seconds: so many words, so many milliseconds apart. */
const MODELS = ['sim-25-40', 'sim-50-40', 'sim-75-40'];

/** How much is to happen. */
export interface TalkPlan {
  /** Turns in all; they go on until the disturbance is over, however many it takes. */
  runs: number;
  /** Sessions that talk at once. */
  parallel: number;
  seed: number;
  disturb: Disturber;
  onProgress?: (line: string) => void;
}

/** What came of it. */
export interface TalkReport extends Verdict {
  runs: number;
  /** How often each part was disturbed. */
  disturbed: Record<string, number>;
  /** From an executor's kill to the first word of the run that it held, by who went on with it, in ms, ascending. */
  pickUpMs: number[];
  /** Runs that ended as anything but an answer. */
  failed: string[];
  /** Log lines of errors that nobody caught. */
  fatal: string[];
  /** Appends of executors that did not hold the run any more, and were refused. */
  staleWrites: number;
  seconds: number;
}

/** Sessions talk in parallel on a cluster while it is disturbed; then all that was said and shown is judged. */
export class TalkAmid {
  readonly #chance: Chance;

  constructor(private readonly plan: TalkPlan) {
    this.#chance = new Chance(plan.seed);
  }

  async run(): Promise<TalkReport> {
    const cluster = await Cluster.start();
    try {
      return await this.#runOn(cluster);
    } catch (error) {
      const said = `${cluster.output.slice(-2_000)}\n${cluster.logs().slice(-20).join('\n')}`;
      throw new Error(`seed ${this.plan.seed}: ${String(error)}\n${said}`, { cause: error });
    } finally {
      await cluster.stop();
    }
  }

  async #runOn(cluster: Cluster): Promise<TalkReport> {
    const startedAt = performance.now();
    const product = new KilledCluster(cluster);
    const talkers = await this.#talkers(cluster, product);
    await this.#talk(talkers, product);
    const verdicts = await Promise.all(talkers.map((talker) => verdictOn(cluster, talker)));
    const logs = cluster.logs();
    return {
      ...merged(verdicts.map(({ verdict }) => verdict)),
      runs: talkers.reduce((sum, { said }) => sum + said.length, 0),
      disturbed: countedBy(product.history.map(({ part }) => part)),
      pickUpMs: talkers.flatMap(({ pickUps }) => pickUps).sort((a, b) => a - b),
      failed: verdicts.flatMap(({ failed }) => failed),
      fatal: logs.filter((line) => line.includes('"level":"fatal"')),
      staleWrites: logs.filter((line) => line.includes('another has')).length,
      seconds: (performance.now() - startedAt) / 1_000,
    };
  }

  async #talkers(cluster: Cluster, product: KilledCluster): Promise<TimedTalker[]> {
    const client = cluster.client();
    const agents = await Promise.all(MODELS.map((model) => client.makeAgent(model, `openai/${model}`)));
    const talkers: TimedTalker[] = [];
    for (let index = 0; index < this.plan.parallel; index += 1) {
      const session = await client.makeSession(agents[index % agents.length] ?? '', `s${index}`);
      talkers.push(new TimedTalker(session, product, new Chance(this.#chance.between(0, 2 ** 31))));
    }
    return talkers;
  }

  async #talk(talkers: TimedTalker[], product: KilledCluster): Promise<void> {
    const { runs, disturb, onProgress } = this.plan;
    const each = Math.ceil(runs / talkers.length);
    let isDisturbed = true;
    const talking = Promise.all(talkers.map((talker) => talker.talk((said) => said < each || isDisturbed)));
    const begun = (): number => talkers.reduce((sum, { said }) => sum + said.length, 0);
    const goesOn = (): boolean => talkers.some(({ said }) => said.length < each);
    const disturbing = disturb({
      product,
      chance: this.#chance,
      goesOn,
      say: (line) => onProgress?.(`${line}, ${begun()} turns begun`),
    });
    try {
      await Promise.race([talking, disturbing]);
      isDisturbed = false;
      await Promise.all([talking, disturbing]);
    } finally {
      isDisturbed = false;
      await disturbing.catch(() => undefined);
    }
    for (const talker of talkers) await talker.catchUp();
  }
}

/** A talker that notes how long a run that lost its executor stood still. */
class TimedTalker extends Talker {
  readonly pickUps: number[] = [];

  constructor(session: SessionKeys, cluster: KilledCluster, chance: Chance) {
    super(session.session, cluster, session, 'alone', chance);
    this.onFrame = (frame, before) => {
      if (before?.event.type !== 'streaming_restarted' || frame.event.type !== 'streaming_agent_output') return;
      const kill = cluster.history.findLast(({ part }) => part === 'run-executor');
      if (kill) this.pickUps.push(performance.now() - kill.at);
    };
  }
}

const verdictOn = async (cluster: Cluster, talker: Talker): Promise<{ verdict: Verdict; failed: string[] }> => {
  const client = cluster.client();
  const listed = await client.events(talker.session);
  const replay = await (await client.listen(talker.session)).all();
  const verdict = judge({ session: talker.session, listed, replay, said: talker.said, views: [talker], told: [] });
  const odd = listed.filter(({ type }) => type !== 'input_message' && type !== 'agent_output');
  return { verdict, failed: odd.map((event) => `${talker.name}: ${JSON.stringify(event)}`) };
};

const countedBy = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};
