import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStream } from '../client/event-stream.js';
import { type VectaraClient } from '../client/vectara-client.js';
import { type SessionKeys } from '../client/wire.js';
import { type StubModel } from '../model/stub-model.js';
import { until } from '../product/until.js';
import { type Cluster } from './cluster.js';

/** When a turn is ended by its user. */
export const MOMENTS = [
  'queued',
  'before the first token',
  'in mid-stream',
  'in a retry wait',
  'at the end',
  'twice at once',
  'after the end',
  'racing its end',
] as const;
/** One of `MOMENTS`. */
export type Moment = (typeof MOMENTS)[number];

/** What came of the trials of one moment. */
export interface CancelReport {
  /** How long the answers took, in ms, ascending. */
  answerMs: number[];
  /** From the answer until the model's connection was closed, where there was one; negative: before the answer. */
  closedMs: number[];
  /** How many ended as interrupted, and how many had their answer first. */
  interrupted: number;
  answered: number;
  faults: string[];
}

/** No effect may begin, and none go on, later than this after the answer, in milliseconds. */
const EFFECT_MS = 1_000;
/** What a session may hold in the end: an answer that was whole when the cancel came stays. */
const ENDS = [
  'input_message, agent_output',
  'input_message, session_interrupted',
  'input_message, agent_output, session_interrupted',
];
const CHUNK = 'streaming_agent_output';

/** Ends turns of a cluster at one moment after the other. The executors talk to `model`. */
export class CancelMoments {
  readonly #client: VectaraClient;
  #agent: string | undefined;
  #made = 0;

  constructor(
    private readonly cluster: Cluster,
    private readonly model: StubModel,
  ) {
    this.#client = cluster.client();
  }

  async run(moment: Moment, times: number): Promise<CancelReport> {
    this.#agent ??= await this.#client.makeAgent('cancelled', 'openai/odd-1');
    const report: CancelReport = { answerMs: [], closedMs: [], interrupted: 0, answered: 0, faults: [] };
    if (moment === 'queued') await this.cluster.command('scale run-executor 0');
    const trials = Array.from({ length: times }, () => this.#trial(moment, report));
    await Promise.all(trials);
    this.model.letGo();
    if (moment === 'queued') await this.cluster.command('scale run-executor 2');
    report.answerMs.sort((a, b) => a - b);
    report.closedMs.sort((a, b) => a - b);
    return report;
  }

  async #trial(moment: Moment, report: CancelReport): Promise<void> {
    const words = `${moment} ${(this.#made += 1)}`;
    const session = await this.#client.makeSession(this.#agent ?? '', `c${this.#made}`);
    try {
      const stream = await this.#bring(session, words, moment);
      const answeredAt = await this.#interrupt(session, moment, report);
      await this.#judge(session, words, { answeredAt, report, stream, moment });
    } catch (error) {
      report.faults.push(`${words}: ${String(error)}`);
    }
  }

  /** Has the turn come to its moment. */
  async #bring(session: SessionKeys, words: string, moment: Moment): Promise<EventStream> {
    if (moment === 'before the first token') this.model.holdWords(words, 'head');
    if (moment === 'in mid-stream' || moment === 'twice at once') this.model.holdWords(words, 'text');
    if (moment === 'in a retry wait') this.model.refuseWords(words, 30);
    const stream = await this.#client.say(session, words);
    if (moment === 'queued') await stream.upTo('input_message');
    if (moment === 'before the first token') {
      await until('the model is asked', () => this.model.requestsWith(words) > 0, 20_000);
    }
    // Where many were refused before it, it is not asked at all: then the run rests just the same.
    if (moment === 'in a retry wait') {
      await until('the model is asked', () => this.model.requestsWith(words) > 0, 3_000).catch(() => undefined);
    }
    if (moment === 'in mid-stream' || moment === 'twice at once') await stream.upTo(CHUNK);
    if (moment === 'at the end') await stream.upTo('streaming_agent_output_end');
    if (moment === 'after the end') await stream.all();
    if (moment === 'racing its end') await sleep(this.#made % 40);
    return stream;
  }

  /** @returns when it was answered, by `performance.now()`. */
  async #interrupt(session: SessionKeys, moment: Moment, { answerMs, faults }: CancelReport): Promise<number> {
    const times = moment === 'twice at once' ? 2 : 1;
    const answers = await Promise.all(Array.from({ length: times }, () => this.#client.interrupt(session)));
    for (const { status, text, ms } of answers) {
      if (status === 201) answerMs.push(ms);
      else faults.push(`${moment}: ${status} ${text}`);
    }
    return performance.now();
  }

  async #judge(session: SessionKeys, words: string, trial: Trial): Promise<void> {
    const { answeredAt, report, stream, moment } = trial;
    if (moment !== 'after the end') await stream.all();
    const asked = this.model.requestsWith(words);
    await sleep(Math.max(0, answeredAt + EFFECT_MS - performance.now()));
    const closedAt = this.model.brokenOffAt(words);
    if (closedAt !== undefined) report.closedMs.push(closedAt - answeredAt);
    const isOpen = this.model.isOpen(words);
    const before = (await this.#client.events(session)).map(({ type }) => type);
    const isInterrupted = before.at(-1) === 'session_interrupted';
    report[isInterrupted ? 'interrupted' : 'answered'] += 1;
    const faults = [
      ...(isOpen ? [`the model is still being listened to ${EFFECT_MS} ms after the answer`] : []),
      ...(this.model.requestsWith(words) > asked ? ['the model was asked again after the end'] : []),
      ...(ENDS.includes(before.join(', ')) ? [] : [`it ended as ${before.join(', ')}`]),
    ];
    report.faults.push(...faults.map((fault) => `${words}: ${fault}`));
    if (moment !== 'queued') await this.#isWell(session, words, report);
  }

  /** A session is well when its next turn is. */
  async #isWell(session: SessionKeys, words: string, { faults }: CancelReport): Promise<void> {
    const frames = await (await this.#client.say(session, `and after ${words}?`)).all();
    const answered = frames.some(({ event }) => event.type === 'streaming_agent_output_end');
    if (!answered) faults.push(`${words}: the next turn was not answered`);
  }
}

interface Trial {
  answeredAt: number;
  report: CancelReport;
  stream: EventStream;
  moment: Moment;
}
