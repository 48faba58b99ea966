import {
  AgentId,
  durableFrameId,
  EMPTY_HEAD,
  SessionId,
  TenantId,
  type CallId,
  type EventFrame,
  type FrameBatch,
  type RunId,
} from '@parley/core';
import { Tables } from '../reference/tables.js';
import { verbsOn, type Verbs } from '../reference/verbs.js';
import { type Addition, type ExecutorId, type SessionRef } from '../run-log.js';
import { type Process } from './actors/process.js';
import { Reader } from './checks/reader.js';
import { Witness } from './checks/witness.js';
import { Random } from './random.js';
import { traced } from './traced.js';

/** Something that does one thing after another; between two of them anything else may happen, and it may die. */
export type Actor = Generator<void, void, void>;

/** What a simulation starts from. */
export interface Setting {
  seed: number;
  /** Hears each thing that happens, for the eyes of a human. */
  trace?: ((line: string) => void) | undefined;
  /** Stands in for the reference: a store with a fault. */
  store?: ((tables: Tables) => Verbs) | undefined;
}

const START = Date.UTC(2026, 0, 1);

/** Everything there is: one store, a clock, executors, those who ask for things, and who watches them. */
export class World {
  readonly random: Random;
  readonly tables: Tables;
  /** The store as everybody uses it; the witness sees each call. */
  readonly verbs: Verbs;
  readonly witness: Witness;
  readonly readers: Map<string, Reader>;
  readonly sessions: SessionRef[];
  readonly agent: AgentId;
  processes: Process[] = [];
  requesters: Actor[] = [];
  /** Child runs that were started, by the call that started them, and whether they have told so. */
  readonly children = new Map<CallId, { ref: SessionRef; run: RunId; told: boolean }>();
  /** Nothing breaks any more and nobody asks for anything new. */
  calm = false;
  /** Milliseconds since the start. */
  time = 0;
  private made = 0;

  constructor(private readonly setting: Setting) {
    this.random = new Random(setting.seed);
    const clock = () => new Date(START + (this.time += 1));
    this.tables = new Tables(clock, () => this.uuid());
    this.witness = new Witness(this.tables);
    const verbs = (setting.store ?? verbsOn)(this.tables);
    this.verbs = this.witness.watched(setting.trace ? traced(verbs, (line) => this.note(line)) : verbs);
    const tenant = TenantId.parse(this.uuid());
    this.agent = AgentId.parse(this.uuid());
    this.tables.insertAgent({ tenant, id: this.agent, version: 1, enabled: true });
    this.sessions = Array.from({ length: 1 + this.random.below(2) }, () => this.newSession(tenant));
    this.readers = new Map(this.sessions.map((ref) => [ref.session, new Reader(this, ref)]));
  }

  get now(): Date {
    return new Date(START + this.time);
  }

  /** The same as milliseconds since the start; 0 for no time. */
  timeOf(date: Date | null): number {
    return date === null ? 0 : date.getTime() - START;
  }

  /** A new id, the same for the same seed. */
  uuid(): string {
    this.made += 1;
    return `00000000-0000-4000-8000-${this.made.toString(16).padStart(12, '0')}`;
  }

  /** Words that nobody said before. */
  words(): string {
    this.made += 1;
    return `words ${this.made}`;
  }

  note(line: string): void {
    this.setting.trace?.(`${(this.time / 1_000).toFixed(3).padStart(10)}  ${line}`);
  }

  /** True where an answer of the store gets lost on its way. */
  losesAnswer(): boolean {
    return !this.calm && this.random.chance(0.03);
  }

  publish(batch: FrameBatch): void {
    this.readers.get(batch.session)?.hear(batch);
  }

  /** Publishes events that somebody just wrote behind `seq`. */
  tell(ref: SessionRef & { run: RunId | null }, { seq, events }: Pick<Addition, 'seq' | 'events'>, at: Date): void {
    const { tenant, session, run } = ref;
    const frames = events.map(({ body, live }, index): EventFrame => {
      const event = { seq: seq + 1 + index, run, at, body, live: live ?? null, hidden: [] };
      return { kind: 'event', id: durableFrameId(event.seq), run, event };
    });
    if (run !== null) this.publish({ tenant, session, run, after: durableFrameId(seq), frames });
  }

  /** Starts the child run of a call, once however often it is asked. */
  startChild(call: CallId, { tenant, session, run }: SessionRef & { run: RunId }): void {
    if (!this.children.has(call)) this.children.set(call, { ref: { tenant, session }, run, told: false });
  }

  nudge(executor: ExecutorId, run: RunId): void {
    if (this.calm || this.random.chance(0.8)) this.processOf(executor)?.nudge(run);
  }

  processOf(executor: ExecutorId): Process | undefined {
    return this.processes.find((process) => process.executor === executor);
  }

  private newSession(tenant: TenantId): SessionRef {
    const ref = { tenant, session: SessionId.parse(this.uuid()) };
    const row = { ...ref, agent: this.agent, enabled: true, head: EMPTY_HEAD, active: null, edits: 0 };
    this.tables.insertSession({ ...row, log: [], facts: [], runs: [] });
    return ref;
  }
}
