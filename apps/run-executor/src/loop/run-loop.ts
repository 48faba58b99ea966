import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import {
  DEFAULT_RETRY,
  type AgentDefinition,
  type BodyOf,
  type DeltaFrame,
  type Ending,
  type Retry,
  type Live,
  type ReplyPart,
} from '@parley/core';
import { type ModelOutcome } from '@parley/effects';
import { decide, nextAttemptAt, providerReadyAt, type CallModel, type ReactAction, type Wait } from '@parley/engine';
import { type ClaimedRun } from '@parley/persistence';
import { type HeldRun } from '../executor/held-run.js';
import { type Lease } from '../executor/lease.js';
import { insist } from './insist.js';
import { type LoopTools } from './loop-tools.js';
import { ModelCall } from './model-call.js';
import { RunJournal } from './run-journal.js';
import { type RunFrames } from './run-frames.js';

/** What a model said, as it is kept. */
type Kept = BodyOf<'model_replied'> | (BodyOf<'model_failed'> & { parts: ReplyPart[] });

/** Wait between two heartbeats while the database does not answer, in milliseconds. */
const LEASE_WAIT_MS = 100;
/** A longer wait gives the slot up (DESIGN §7.10), in milliseconds. */
const LONGEST_HELD_WAIT_MS = 1_000;

const logger = new Logger('RunLoop');

/**
 * Acts one run from its claim to its end: place the facts of the inbox, decide, act, record. What is decided without an
 * effect is committed before the next effect, or together with the run's end. All that a loop knows is in the log or can
 * be had again, so it may be dropped at any moment: whoever claims the run next goes on.
 */
export class RunLoop implements HeldRun {
  readonly receivedAt = performance.now();
  readonly #frames: RunFrames;
  readonly #journal: RunJournal;
  #definition: AgentDefinition | undefined;
  /** The model call whose reply is being made, or is made and not committed. */
  #call: ModelCall | undefined;
  /** Ends the wait under way. */
  #pause: AbortController | undefined;
  /** How the run ends whatever is decided. */
  #ending: Ending | undefined;
  #isLeaving = false;
  #isOver = false;

  constructor(
    private readonly tools: LoopTools,
    readonly claimed: ClaimedRun,
    private readonly lease: Lease,
  ) {
    const { tenant, session, run, epoch } = claimed;
    const held = { tenant, session, run, epoch, executor: lease.executor };
    const isOver = (): boolean => this.#isOver || lease.isOver;
    this.#frames = tools.announcer.framesOf(claimed);
    this.#journal = new RunJournal({ log: tools.log, held, claimed, frames: this.#frames, isOver });
  }

  /** Resolves when this holder has no more to do with the run. Never rejects. */
  async run(): Promise<void> {
    try {
      if (!this.#recall()) await this.#load();
      while (this.#goesOn) await this.#turn();
    } catch (error) {
      await this.#fail(error);
    }
    this.drop(this.#journal.refusal ?? 'the lease has passed');
  }

  /** Facts may wait in the inbox. */
  nudge(): void {
    this.#journal.nudge();
    this.#pause?.abort();
    if (this.#call?.isOpen) void this.#peek();
  }

  /** Called a few times a second: ends a model call that has come to the run's deadline. */
  tick(): void {
    if (this.#call?.isOpen && this.#now() >= this.#deadline) this.#call.stop();
  }

  /** Gives the run back to the queue before its next effect; a model call under way is ended for it. */
  handBack(): void {
    this.#isLeaving = true;
    this.#call?.stop();
    this.#pause?.abort();
  }

  /** Lets go of a run that another has, or will have; of one that is over already there is nothing to let go. */
  drop(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call?.stop();
    this.#pause?.abort();
    logger.warn({ ...this.#address, reason }, 'a run was dropped');
  }

  /** While an answer of the log is awaited nobody knows whether the run is still held here. */
  get isWriting(): boolean {
    return this.#journal.isWriting;
  }

  /** The message in the making, as it was shown so far. */
  get tail(): readonly DeltaFrame[] {
    return this.#call?.shown ?? [];
  }

  get #goesOn(): boolean {
    return !this.#isOver && !this.#journal.refusal && !this.lease.isOver;
  }

  get #address() {
    const { tenant, session, run, epoch } = this.claimed;
    return { tenant, session, run, epoch };
  }

  /** The database's clock. */
  #now(): number {
    return this.claimed.now.getTime() + performance.now() - this.receivedAt;
  }

  get #deadline(): number {
    return this.claimed.startedAt.getTime() + this.claimed.budget.wallMs;
  }

  get #retry(): Retry {
    return this.#definition?.model.retry ?? DEFAULT_RETRY;
  }

  /** A plain turn of a known session and agent calls the model before anything is waited for. */
  #recall(): boolean {
    const { tools, claimed } = this;
    this.#definition = tools.agents.recall(claimed)?.definition;
    const transcript = this.#definition && tools.transcripts.recall(claimed);
    if (transcript) this.#journal.read(transcript);
    return transcript !== undefined;
  }

  async #load(): Promise<void> {
    const { tools, claimed } = this;
    const isOver = (): boolean => !this.#goesOn || this.#isLeaving;
    const [version, transcript] = await Promise.all([
      tools.agents.recall(claimed) ?? insist(() => tools.agents.fetch(claimed), isOver),
      insist(() => tools.transcripts.load(claimed), isOver),
    ]);
    this.#definition = version?.definition;
    if (transcript) this.#journal.read(transcript);
    if (!version || !transcript) await this.#release();
  }

  async #turn(): Promise<void> {
    if (this.#journal.peeking) await this.#journal.peeking;
    this.#ending ??= this.#cancelled();
    if (this.#ending) return await this.#finish(this.#ending);
    if (!this.#definition) throw new Error('a run is acted without its agent');
    const { run, head, transcript } = this.#journal;
    const { budget, startedAt } = this.claimed;
    const { messages, answer, fault, failure } = transcript;
    const state = { run, calls: head.calls, messages, answer, fault, failure };
    const now = this.#now();
    const { model } = this.tools;
    const { handle } = this.#definition.model;
    const readyAt = providerReadyAt(now, model.pauseMs(handle), Math.random());
    const isPriced = model.isPriced(handle);
    const facts = { now, startedAt: startedAt.getTime(), budget, providerReadyAt: readyAt, isPriced };
    const actions = decide(this.#definition, state, facts);
    for (const action of actions) await this.#act(action);
  }

  #cancelled(): Ending | undefined {
    const cancel = this.#journal.place();
    return cancel && { state: 'cancelled', reason: cancel.reason, rewind: cancel.rewind };
  }

  async #act(action: ReactAction): Promise<void> {
    switch (action.kind) {
      case 'call_model':
        return await this.#callModel(action);
      case 'refuse_model': {
        const { round, attempt, code, message } = action;
        return this.#journal.add({ kind: 'model_failed', round, attempt, code, message, usage: null });
      }
      case 'settle_call': {
        const { call, outcome, text } = action;
        const parts = [{ type: 'text' as const, text, origin: 'tool' as const }];
        return this.#journal.add({ kind: 'call_settled', call, outcome, parts });
      }
      case 'wait':
        return await this.#wait(action);
      case 'end':
        return await this.#finish(action);
    }
  }

  /** A short wait keeps the slot, a longer one gives it up; news of the run ends both. */
  async #wait({ until }: Wait): Promise<void> {
    if (this.#isLeaving) return await this.#release();
    const ms = until - this.#now();
    if (ms > LONGEST_HELD_WAIT_MS) return await this.#park(new Date(until));
    if (!this.#journal.isSettled) return await this.#append();
    this.#pause = new AbortController();
    await sleep(ms, undefined, { signal: this.#pause.signal }).catch(() => undefined);
    this.#pause = undefined;
  }

  async #park(dueAt: Date): Promise<void> {
    if (!(await this.#journal.park({ waitingFor: 'timer', dueAt }))) return;
    this.#isOver = true;
    this.tools.announcer.ring(1, dueAt);
    this.#keepTranscript();
  }

  /** What has to be so before an effect comes first, one thing a turn: each may change what is decided. */
  async #callModel(action: CallModel): Promise<void> {
    if (this.#isLeaving) return await this.#release();
    if (!this.#journal.isSettled) return await this.#append();
    if (this.#journal.isOutdated) return await this.#reread();
    if (!this.lease.isFresh) return await this.#renewLease();
    const call = new ModelCall(this.tools.model, this.#frames, this.claimed, this.#journal.head.seq);
    this.#call = call;
    await this.#record(action, call, await call.make(action));
  }

  async #record({ round, attempt }: CallModel, call: ModelCall, outcome: ModelOutcome): Promise<void> {
    if (outcome.ok) {
      const reply = { kind: 'model_replied' as const, round, ...outcome.reply };
      return await this.#keep(reply, `reply ${this.claimed.run} ${round}`, call.live);
    }
    this.#call = undefined;
    if (call.shown.length > 0) this.#journal.add({ kind: 'restarted', round });
    if (call.isStopped) return;
    const { code, message, usage, parts } = outcome.failure;
    if (code === 'circuit_open') return;
    const times = { now: this.#now(), deadline: this.#deadline, jitter: Math.random() };
    const retryAt =
      code === 'invalid_output'
        ? this.#repairAt(times)
        : nextAttemptAt(this.#retry, { attempt, ...outcome.failure }, times);
    const next = retryAt === undefined ? {} : { retryAt };
    const failed = { kind: 'model_failed' as const, round, attempt, code, message, usage, ...next };
    if (!parts) return this.#journal.add(failed);
    await this.#keep({ ...failed, parts }, `faulty ${this.claimed.run} ${round} ${attempt}`);
  }

  /** Its large words are stored before it is written; where that cannot be done any more, another makes the round again. */
  async #keep(body: Kept, place: string, live?: Live): Promise<void> {
    const { tools, claimed } = this;
    const parts = await insist(
      () => tools.blobs.stow(claimed, place, body.parts),
      () => !this.#goesOn,
    );
    if (parts) this.#journal.add(body, { live, kept: { ...body, parts } });
  }

  /** An answer of the wrong form is mended once, at once. */
  #repairAt({ now }: { now: number }): number | undefined {
    return this.#journal.transcript.fault === null ? Math.ceil(now) : undefined;
  }

  async #append(): Promise<void> {
    await this.#journal.append();
    this.#call = undefined;
  }

  async #reread(): Promise<void> {
    const { tools, claimed } = this;
    const transcript = await insist(
      () => tools.transcripts.reload(claimed, this.#journal.head),
      () => !this.#goesOn,
    );
    if (transcript) this.#journal.read(transcript);
  }

  async #renewLease(): Promise<void> {
    await this.lease.beat();
    if (!this.lease.isFresh && this.#goesOn) await sleep(LEASE_WAIT_MS);
  }

  async #finish(ending: Ending): Promise<void> {
    const written = await this.#journal.finish(ending);
    if (!written) return;
    this.#isOver = true;
    const { tools, claimed } = this;
    if (written.promoted) tools.announcer.promoted(claimed, written.promoted, written.at);
    if (!ending.rewind) this.#keepTranscript();
  }

  #keepTranscript(): void {
    if (this.#journal.wasEdited || this.#journal.isOutdated) return;
    const { transcript, head } = this.#journal;
    this.tools.transcripts.keep(this.claimed, transcript, { head, edits: this.claimed.edits });
  }

  async #release(): Promise<void> {
    if (!(await this.#journal.release())) return;
    this.#isOver = true;
    this.tools.announcer.ring(1);
  }

  async #peek(): Promise<void> {
    await this.#journal.peek();
    if (this.#journal.refusal) this.drop(this.#journal.refusal);
    else if (this.#journal.isCancelled) this.#call?.stop();
  }

  /** A fault of ours, or an event that the log does not take: the run ends, since trying again would not mend it. */
  async #fail(error: unknown): Promise<void> {
    logger.error({ ...this.#address, err: error }, 'a run failed by a fault of Parley');
    this.#journal.discard();
    this.#ending = { state: 'failed', reason: 'internal' };
    try {
      while (this.#goesOn) await this.#finish(this.#ending);
    } catch (again) {
      logger.error({ ...this.#address, err: again }, 'a run could not be ended');
      this.drop('it could not be ended');
    }
  }
}
