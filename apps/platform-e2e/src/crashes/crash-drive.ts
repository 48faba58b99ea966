import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStream } from '../client/event-stream.js';
import { type Saying, VectaraClient } from '../client/vectara-client.js';
import { type SessionKeys } from '../client/wire.js';
import { type StubModel } from '../model/stub-model.js';
import { type StandaloneProcess } from '../product/standalone-process.js';
import { BlockedWriters } from './blocked-writers.js';

/** The sessions of one drive. */
export interface DriveSessions {
  /** Was amid a turn when the product was killed before, with the words `reclaimed`. */
  reclaimed: SessionKeys;
  talking: SessionKeys;
  /** Finds no free slot. */
  queued: SessionKeys;
  /** Its holder cannot end its turn in time. */
  takenOver: SessionKeys;
  /** Its model refuses it once and asks to wait. */
  waiting: SessionKeys;
  /** Is amid a turn when the product is told to stop. */
  handedBack: SessionKeys;
}

/** What a drive works on. */
export interface DriveSetting {
  /** With one slot, and told to kill itself somewhere. */
  process: StandaloneProcess;
  model: StubModel;
  sessions: DriveSessions;
  /** The data folder. */
  folder: string;
}

/** How long an error may be there before the death that is its cause, in milliseconds. */
const DEATH_MS = 2_000;
/** How long a whole drive may take, in milliseconds. */
const DRIVE_MS = 30_000;
const CHUNK = 'streaming_agent_output';

/**
 * Makes a process do everything that it can: start on what a killed one left, turns, words that break in, interruptions
 * of turns that run, wait and hang, a model that asks to wait, and a stop amid a turn. Somewhere on the way it dies; nothing here depends on where.
 */
export class CrashDrive {
  /** Words that were taken: 201 has come. */
  readonly accepted: { session: SessionKeys; words: string }[] = [];
  readonly #streams: EventStream[] = [];
  readonly #blocked: BlockedWriters;
  #client = new VectaraClient('', null);

  constructor(private readonly setting: DriveSetting) {
    this.#blocked = new BlockedWriters(setting.folder);
  }

  /** Resolves when the process is dead. */
  async run(): Promise<void> {
    const { process, model } = this.setting;
    const driving = this.#drive();
    try {
      const bound = sleep(DRIVE_MS, 'late', { ref: false });
      const end = await Promise.race([driving, process.exited, bound]);
      if (end === 'late') throw new Error(`it neither ended nor died within ${DRIVE_MS} ms`);
    } catch (error) {
      const died = await Promise.race([process.exited, sleep(DEATH_MS)]);
      if (!died) throw error;
    } finally {
      driving.catch(() => {});
      model.letGo();
      for (const stream of this.#streams) stream.leave();
      await this.#blocked.close();
    }
    await process.exited;
  }

  async #drive(): Promise<void> {
    const { process, model, sessions } = this.setting;
    const { url, key } = await process.listening();
    this.#client = new VectaraClient(url, key);
    const reclaimed = await this.#client.listen(sessions.reclaimed);
    await reclaimed.upTo(CHUNK);
    model.letGo((words, at) => at === 'text' && words !== 'reclaimed');
    await reclaimed.all();
    await this.#queueAndBreakIn();
    await this.#takeOver();
    await this.#waitForModel();
    await this.#say(sessions.handedBack, 'handed back');
    await process.kill('SIGTERM');
  }

  /** One turn has the only slot, one waits for it and is interrupted, words break in to the first. */
  async #queueAndBreakIn(): Promise<void> {
    const { model, sessions } = this.setting;
    const talk = await this.#say(sessions.talking, 'talking');
    const queued = await this.#say(sessions.queued, 'queued', {}, 'input_message');
    await this.#client.interrupt(sessions.queued);
    await queued.all();
    const breakIn = await this.#say(sessions.talking, 'break in', { since: 'start', behavior: 'steer' });
    model.letGo((words, at) => at === 'text' && words !== 'talking' && words !== 'break in');
    await Promise.all([talk.all(), breakIn.all()]);
  }

  /** The interruption is written; then the holder's next write, and whoever loses patience with it, wait for each other. */
  async #takeOver(): Promise<void> {
    const { takenOver } = this.setting.sessions;
    const turn = await this.#say(takenOver, 'taken over');
    await this.#blocked.letThroughOne(takenOver.session, () => this.#client.interrupt(takenOver), 2);
    await turn.all();
  }

  /** The run rests for longer than it may hold a slot. */
  async #waitForModel(): Promise<void> {
    const { model, sessions } = this.setting;
    const refused = new Set(['waiting']);
    model.refuse = (words) => (refused.delete(words) ? 2 : undefined);
    model.letGo((words, at) => at === 'text' && words === 'handed back');
    await (await this.#say(sessions.waiting, 'waiting')).all();
  }

  /** Says words and reads up to the first of the reply, or what else is expected. */
  async #say(session: SessionKeys, words: string, saying: Saying = {}, expected = CHUNK): Promise<EventStream> {
    const stream = await this.#client.say(session, words, saying);
    this.#streams.push(stream);
    if (stream.status === 201) this.accepted.push({ session, words });
    await stream.upTo(expected);
    return stream;
  }
}
