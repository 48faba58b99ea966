import { setTimeout as sleep } from 'node:timers/promises';
import { type SessionKeys } from '../client/wire.js';
import { Chance } from '../product/chance.js';
import { DataFolder } from '../product/data-folder.js';
import { RestartedProduct } from '../product/restarted-product.js';
import { until } from '../product/until.js';
import { Interrupter } from './interrupter.js';
import { Talker, type Manner } from './talker.js';
import { judge, merged, type Evidence, type Verdict } from './verdict.js';

/** 40 words, 40 ms apart: a kill finds most sessions amid a reply. */
const MODEL = 'simulator/sim-40-40';

/** Who talks in each session; `!`: somebody interrupts. */
const SESSIONS: Record<string, (Manner | '!')[]> = {
  plain1: ['alone'],
  plain2: ['alone'],
  plain3: ['alone'],
  interrupted: ['alone', '!'],
  queued: ['follow_up', 'follow_up'],
  steered: ['follow_up', 'steer'],
  crowded: ['follow_up', 'follow_up', 'steer', '!'],
};

/** How often it is killed, and the seed of all that is random. */
export interface KillPlan {
  kills: number;
  seed: number;
  /** Told how it goes. */
  onKill?: (done: number) => void;
}

/** What came of it. */
export interface KillReport extends Verdict {
  turns: number;
  /** Of each kill: how many clients were amid a reply. */
  midStream: number[];
  /** Of each client that was: from the new process's listening to the run going on, in milliseconds, ascending. */
  wentOnAfterMs: number[];
  /** Clients that were amid a reply that was void, and what they were told first. */
  voided: string[];
}

/**
 * Sessions talk in parallel while the product is killed again and again, each time amid replies, and started again after
 * 0 to 3 seconds.
 */
export class KillScenario {
  readonly #folder = new DataFolder();
  readonly #product = new RestartedProduct(this.#folder);
  readonly #chance: Chance;
  readonly #talkers: Talker[] = [];
  readonly #interrupters: Interrupter[] = [];
  #goesOn = true;

  constructor(private readonly plan: KillPlan) {
    this.#chance = new Chance(plan.seed);
  }

  async run(): Promise<KillReport> {
    try {
      await this.#product.start();
      const idle = await this.#prepare();
      const before = await this.#evidenceOf(idle);
      const midStream = await this.#killAmidTalk();
      const verdicts = await this.#verdicts([before, ...(await this.#evidence())], idle);
      return { ...this.#figures(), midStream, ...merged(verdicts) };
    } catch (error) {
      throw new Error(`seed ${this.plan.seed}: ${String(error)}\n${this.#product.output.slice(-5_000)}`, {
        cause: error,
      });
    } finally {
      await this.#product.stop();
      this.#folder.remove();
    }
  }

  /** Makes the sessions; @returns one that has had its turn, and rests from now on. */
  async #prepare(): Promise<SessionKeys> {
    const client = await this.#product.client();
    const agent = await client.makeAgent('killed', MODEL);
    for (const [name, cast] of Object.entries(SESSIONS)) {
      const session = await client.makeSession(agent, name);
      cast.forEach((role, index) => this.#join(session, role, `${name}-${index}`));
    }
    const idle = await client.makeSession(agent, 'idle');
    await (await client.say(idle, 'idle 1')).all();
    return idle;
  }

  #join(session: SessionKeys, role: Manner | '!', name: string): void {
    const chance = new Chance(this.#chance.between(0, 2 ** 31));
    if (role === '!') this.#interrupters.push(new Interrupter(this.#product, session, chance));
    else this.#talkers.push(new Talker(name, this.#product, session, role, chance));
  }

  /** @returns of each kill, how many talkers were amid a reply. */
  async #killAmidTalk(): Promise<number[]> {
    const goesOn = (): boolean => this.#goesOn;
    const actors = [
      ...this.#talkers.map((talker) => talker.talk(goesOn)),
      ...this.#interrupters.map((interrupter) => interrupter.disturb(goesOn)),
    ];
    const done = Promise.all(actors);
    try {
      const midStream = await Promise.race([this.#killAgainAndAgain(), done.then(() => [])]);
      this.#goesOn = false;
      await done;
      for (const talker of this.#talkers) await talker.catchUp();
      return midStream;
    } finally {
      this.#goesOn = false;
    }
  }

  async #killAgainAndAgain(): Promise<number[]> {
    const midStream: number[] = [];
    const sessions = Object.keys(SESSIONS).length;
    while (midStream.length < this.plan.kills) {
      await sleep(this.#chance.between(0, 1_500));
      await until('half of the sessions are amid a reply', () => this.#countMidStream() >= sessions / 2);
      midStream.push(this.#countMidStream());
      await this.#product.killAndStart(this.#chance.between(0, 3_000));
      this.plan.onKill?.(midStream.length);
    }
    return midStream;
  }

  #countMidStream(): number {
    return this.#talkers.filter(({ isMidStream }) => isMidStream).length;
  }

  async #evidence(): Promise<Evidence[]> {
    const sessions = new Map(this.#talkers.map(({ session }) => [session.session, session]));
    return await Promise.all([...sessions.values()].map((session) => this.#evidenceOf(session)));
  }

  async #evidenceOf(session: SessionKeys): Promise<Evidence> {
    const client = await this.#product.client();
    const talkers = this.#talkers.filter((talker) => talker.session === session);
    const interrupters = this.#interrupters.filter((interrupter) => interrupter.session === session);
    return {
      session,
      listed: await client.events(session),
      replay: await (await client.listen(session)).all(),
      said: talkers.flatMap(({ said }) => said),
      views: talkers,
      told: interrupters.flatMap(({ told }) => told),
    };
  }

  /** The session that rested has to be what it was, too. */
  async #verdicts([before, ...others]: Evidence[], idle: SessionKeys): Promise<Verdict[]> {
    const after = await this.#evidenceOf(idle);
    const views = before ? [{ name: 'who looked before all kills', received: before.replay }] : [];
    const refused = this.#interrupters.flatMap(({ refusals }) => refusals);
    return [
      ...others.map(judge),
      judge({ ...after, said: ['idle 1'], views }),
      { lost: [], doubled: [], faults: refused },
    ];
  }

  #figures(): Omit<KillReport, 'midStream' | keyof Verdict> {
    const breaks = this.#talkers.flatMap((talker) => talker.breaks).filter(({ midStream }) => midStream);
    return {
      turns: this.#talkers.reduce((sum, { said }) => sum + said.length, 0),
      wentOnAfterMs: breaks.flatMap(({ wentOnAfterMs }) => wentOnAfterMs ?? []).sort((a, b) => a - b),
      voided: breaks.flatMap(({ first }) => first?.event.type ?? []),
    };
  }
}
