import { type admitRun, type getRunStates, type ParsedOf, type readLog, type ResponseOf } from '@parley/contracts';
import {
  apply,
  type DeadLetter,
  deadLetterOf,
  type DeltaFrame,
  deriveId,
  durableFrameId,
  EMPTY_HEAD,
  erased,
  type Event,
  type EventBody,
  FactId,
  fold,
  type Frame,
  type Head,
  type InputPart,
  isTerminal,
  type Live,
  notFound,
  partsOf,
  PlatformError,
  restorable,
  type Run,
  RunId,
  type SessionId,
  type TenantId,
  type TerminalState,
} from '@parley/core';
import { type Frames } from '@parley/messaging';
import { FakeTurn, type Script } from './fake-turn.js';

interface Address {
  tenant: TenantId;
  session: SessionId;
}

/** The log of one session and its runs, one after the other. */
export class FakeLog {
  head: Head = EMPTY_HEAD;
  readonly events: Event[] = [];
  readonly #runs = new Map<RunId, Run>();
  readonly #reruns = new Map<RunId, ResponseOf<typeof admitRun>>();
  readonly #steers: { id: RunId; parts: InputPart[] }[] = [];
  #tail: DeltaFrame[] = [];
  #turn: FakeTurn | null = null;

  constructor(
    private readonly address: Address,
    private readonly frames: Frames,
    private readonly script: Script,
  ) {}

  get session(): SessionId {
    return this.address.session;
  }

  get active(): ResponseOf<typeof readLog>['active'] {
    const run = this.#current;
    return run ? { run: run.id, state: run.state, holder: { executor: 1, epoch: run.epoch } } : null;
  }

  admit({ id, agent, parts, whenBusy }: ParsedOf<typeof admitRun>): ResponseOf<typeof admitRun> {
    const run = newRun({ id, agent, parts, session: this.address.session });
    const current = this.#current;
    if (!current) {
      const { at, seq } = this.#begin(run);
      return { outcome: 'queued', run: id, seq, at };
    }
    if (whenBusy === 'reject') {
      throw new PlatformError('illegal_state', `run '${current.id}' is under way`, { noun: 'run', id: current.id });
    }
    if (whenBusy === 'steer') this.#steers.push({ id, parts });
    else this.#runs.set(id, run);
    const outcome = whenBusy === 'steer' ? 'steered' : 'deferred';
    return { outcome, run: whenBusy === 'steer' ? current.id : id, seq: this.head.seq };
  }

  cancel(id: RunId, reason: string | null): Run {
    const run = this.#run(id);
    if (run.state === 'deferred') this.#runs.set(id, { ...run, state: 'cancelled', reason, endedAt: new Date() });
    else if (!isTerminal(run.state)) this.end('cancelled', reason);
    return this.#run(id);
  }

  /** Its dead letters, oldest first. */
  get deadLetters(): DeadLetter[] {
    return [...this.#runs.values()].flatMap((run) => deadLetterOf(run) ?? []);
  }

  /** Admits the input of a run again, if it is a dead letter of this log; undefined where the run is of another. */
  rerun(id: RunId): ResponseOf<typeof admitRun> | undefined {
    const run = this.#runs.get(id);
    if (!run) return undefined;
    if (!deadLetterOf(run)) throw new PlatformError('illegal_state', `run '${id}' is no dead letter`);
    const { tenant, session } = this.address;
    const { agent, parts, budget } = run;
    const rerun = deriveId(RunId, { tenant, kind: 'rerun', key: id });
    const known = this.#reruns.get(rerun);
    if (known) return known;
    const policies = { whenBusy: 'defer', whenWaiting: 'defer' } as const;
    const admitted = this.admit({ tenant, session, id: rerun, agent, parts, budget, ...policies });
    this.#reruns.set(rerun, admitted);
    return admitted;
  }

  read(after: number, limit: number): ResponseOf<typeof readLog> {
    const events = this.events.slice(after, after + limit);
    return { events, more: this.events.length > after + limit, spans: this.head.spans, active: this.active };
  }

  tailOf(run: RunId): Frame[] {
    return this.active?.run === run ? [...this.#tail] : [];
  }

  standingOf(id: RunId): ResponseOf<typeof getRunStates>['runs'] {
    const run = this.#runs.get(id);
    if (!run) return [];
    return [{ tenant: this.address.tenant, run: id, state: run.state, reason: run.reason, seq: this.head.seq }];
  }

  /** Shows a piece of a reply in the making. */
  say(type: DeltaFrame['type'], text: string, part: number): void {
    const run = this.#current;
    if (!run) throw new Error('nobody has the turn');
    const id = durableFrameId(this.head.seq) + this.#tail.length + 1;
    const frame: DeltaFrame = { kind: 'delta', id, run: run.id, part, type, text };
    this.#tail.push(frame);
    this.#send(frame);
  }

  /** What the tail was cut into, for the event that it belongs to. */
  get live(): Live | null {
    if (this.#tail.length === 0) return null;
    return { after: this.head.seq, cuts: this.#tail.map(({ part, text }, index) => [index + 1, part, text.length]) };
  }

  append(body: EventBody, live: Live | null = null): Event {
    const seq = this.head.seq + 1;
    const event: Event = { seq, run: this.#current?.id ?? null, at: new Date(), body, live, hidden: [] };
    this.head = apply(this.head, event);
    this.events.push(event);
    this.#tail = [];
    this.#send({ kind: 'event', id: durableFrameId(seq), run: event.run, event });
    return event;
  }

  /** Words that came for the turn under way are heard now. */
  hearSteers(): InputPart[] {
    const heard = this.#steers.splice(0);
    for (const { id, parts } of heard) this.append({ kind: 'input', parts, fact: FactId.parse(id) });
    return heard.flatMap(({ parts }) => parts);
  }

  /** Hides a part of an event, as somebody else's deed. */
  hide(seq: number, part: number): void {
    this.#edit(seq, (event) => ({ ...event, hidden: [...event.hidden, part] }));
  }

  /** Takes the words of a part away for ever. */
  erase(seq: number, part: number): void {
    this.#edit(seq, (event) => {
      if (!('parts' in event.body)) return event;
      const parts = partsOf(event.body).map((one, index) => (index === part ? erased(one) : one));
      return { ...event, body: { ...event.body, parts } as EventBody, live: null };
    });
  }

  /** Goes back to before the event of that number. */
  rewind(seq: number): void {
    const before = fold(this.events.filter((event) => event.seq < seq));
    this.append({ kind: 'rewound', to: seq - 1, restored: restorable(before) });
  }

  #edit(seq: number, edit: (event: Event) => Event): void {
    const event = this.events[seq - 1];
    if (event) this.events[seq - 1] = edit(event);
  }

  end(state: TerminalState, reason: string | null): void {
    const run = this.#current;
    if (!run) return;
    if (this.#tail.length > 0) this.append({ kind: 'restarted', round: 1 });
    this.#turn?.stop();
    this.#turn = null;
    const { seq: lastSeq, at: endedAt } = this.append({ kind: 'run_ended', state, reason });
    this.#runs.set(run.id, { ...run, state, reason, lastSeq, endedAt });
    const [steer] = this.#steers;
    if (steer) {
      const parts = this.#steers.splice(0).flatMap((one) => one.parts);
      this.#runs.set(steer.id, { ...newRun({ ...run, parts }), id: steer.id });
    }
    const next = [...this.#runs.values()].find((one) => one.state === 'deferred');
    if (next) this.#begin(next);
  }

  get #current(): Run | undefined {
    return [...this.#runs.values()].find(({ state }) => state === 'queued' || state === 'running');
  }

  #run(id: RunId): Run {
    const run = this.#runs.get(id);
    if (!run) throw notFound('run', id);
    return run;
  }

  #begin(run: Run): Event {
    this.#runs.set(run.id, { ...run, state: 'running', startedAt: new Date(), firstSeq: this.head.seq + 1 });
    const event = this.append({ kind: 'input', parts: run.parts });
    const turn = new FakeTurn(this, run.parts);
    this.#turn = turn;
    setImmediate(() => void turn.play(this.script));
    return event;
  }

  #send(frame: Frame): void {
    const run = frame.run ?? this.#current?.id;
    if (run) this.frames.publish({ ...this.address, run, after: 0, frames: [frame] });
  }
}

const newRun = ({ id, agent, parts, session }: Pick<Run, 'id' | 'agent' | 'parts' | 'session'>): Run => ({
  id,
  session,
  agent,
  version: 1,
  state: 'deferred',
  waitingFor: null,
  reason: null,
  epoch: 1,
  parts,
  budget: { rounds: 50, wallMs: 60_000 },
  firstSeq: null,
  lastSeq: null,
  createdAt: new Date(),
  startedAt: null,
  endedAt: null,
});
