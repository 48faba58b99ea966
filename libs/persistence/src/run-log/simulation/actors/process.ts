import { apply, type EventBody, type RunId } from '@parley/core';
import { type ClaimedRun, type ExecutorId, type Heartbeat, type SessionRef } from '../../run-log.js';
import { type Actor, type World } from '../world.js';
import { conduct } from './conduct.js';
import { Hand } from './hand.js';
import { takeOver } from './unheld.js';

/** An effect starts only this soon after the last heartbeat that was answered. */
const FRESH_MS = 2_000;
const HEARTBEAT_MS = 1_000;
const SLOTS = 2;

/** An executor process: what it does all the time, and the runs that it holds. Killing it forgets all of this. */
export class Process {
  executor: ExecutorId | null = null;
  /** Finishes nothing more, gives its runs back and goes. */
  stopping = false;
  /** Stopped by the system until then: does nothing, and does not know it. */
  frozenUntil = 0;
  private readonly hands = new Map<RunId, { hand: Hand; actor: Actor }>();
  private errands: Actor[] = [];
  private readonly main = this.operate();
  /** When the last heartbeat was sent that got an answer. */
  private beat = 0;

  constructor(readonly world: World) {}

  get name(): string {
    return `executor ${this.executor ?? 'without a number'}`;
  }

  get isIdle(): boolean {
    return this.hands.size === 0 && this.errands.length === 0;
  }

  /** One thing that this process does. */
  step(): void {
    const actors = [this.main, ...this.errands, ...[...this.hands.values()].map(({ actor }) => actor)];
    const actor = this.world.random.pick(actors);
    if (!actor.next().done) return;
    this.errands = this.errands.filter((other) => other !== actor);
    for (const [run, { actor: other }] of this.hands) if (other === actor) this.hands.delete(run);
  }

  take(claimed: ClaimedRun): void {
    if (this.executor === null) return;
    const hand = new Hand(this.world, claimed, this.executor);
    this.hands.set(claimed.run, { hand, actor: conduct(this, hand) });
  }

  nudge(run: RunId): void {
    const held = this.hands.get(run);
    if (held) held.hand.nudged = true;
  }

  /** True when an effect may start now for this run; asks first if the last answer is too old. */
  *isFresh(hand: Hand): Generator<void, boolean, void> {
    const isOurs = () => this.hands.get(hand.held.run)?.hand === hand;
    while (isOurs() && this.world.time - this.beat > FRESH_MS) yield* this.sendHeartbeat();
    return isOurs();
  }

  /** Begins where all earlier executors are known to be dead, before any other one comes. */
  beginAlone(): void {
    this.reclaim(this.register(), 'everyone');
  }

  private register(): ExecutorId {
    this.executor = this.world.verbs.register();
    this.beat = this.world.time;
    return this.executor;
  }

  private *operate(): Actor {
    for (;;) {
      if (this.hasLostLock()) this.forgetAll();
      if (this.executor === null) this.register();
      else if (this.world.time - this.beat >= HEARTBEAT_MS) yield* this.sendHeartbeat();
      else if (this.stopping && this.hands.size === 0) return this.leave(this.executor);
      else if (this.world.random.chance(0.2)) this.reclaim(this.executor, 'dead');
      else if (!this.stopping && this.hands.size < SLOTS) yield* this.claim(this.executor);
      yield;
    }
  }

  private reclaim(executor: ExecutorId, scope: 'dead' | 'everyone'): void {
    for (const { restarted, ...ref } of this.world.verbs.reclaim(executor, scope)) {
      const events = [{ body: { kind: 'restarted' as const, round: restarted.round } }];
      this.world.tell(ref, { seq: restarted.seq - 1, events }, restarted.at);
    }
  }

  private *claim(executor: ExecutorId): Actor {
    const claimed = this.world.verbs.claim(executor, SLOTS - this.hands.size);
    yield;
    if (this.executor === executor && !this.world.losesAnswer()) for (const run of claimed) this.take(run);
  }

  private leave(executor: ExecutorId): void {
    this.world.verbs.retire(executor);
    this.world.processes = this.world.processes.filter((process) => process !== this);
  }

  private *sendHeartbeat(): Actor {
    const { executor } = this;
    if (executor === null) return;
    const sent = this.world.time;
    const known = [...this.hands.values()].map(({ hand }) => hand);
    const answer = this.world.verbs.heartbeat(executor);
    yield;
    if (this.executor !== executor || this.world.losesAnswer()) return;
    this.beat = sent;
    if (answer.alive) this.heed(answer, known);
    else this.forgetAll();
  }

  /** Drops what it lost, gives back what it does not know of, reads what was said, ends what heeds no cancel. */
  private heed({ held, overdue }: Heartbeat, known: Hand[]): void {
    for (const { run, ...ref } of overdue) this.errands.push(takeOver(this.world, ref, run));
    for (const { held: mine } of known) {
      const still = held.some(({ run, epoch }) => run === mine.run && epoch === mine.epoch);
      if (!still && this.hands.get(mine.run)?.hand.held.epoch === mine.epoch) this.hands.delete(mine.run);
    }
    for (const { unread, run, ...rest } of held) {
      if (unread) this.nudge(run);
      if (!this.hands.has(run)) this.errands.push(this.giveBack({ run, ...rest }));
    }
  }

  /** A run that is ours by its row though nobody here knows of it: the answer that gave it to us was lost. */
  private *giveBack({ run, epoch, ...ref }: SessionRef & { run: RunId; epoch: number }): Actor {
    const { executor } = this;
    const situation = this.world.verbs.look(ref);
    yield;
    const active = situation?.active;
    if (!situation || executor === null || active?.run !== run || active.epoch !== epoch) return;
    if (active.executor !== executor || this.hands.has(run)) return;
    const { head } = situation;
    const body: EventBody = { kind: 'restarted', round: (head.run?.rounds ?? 0) + 1 };
    const after = apply(head, { seq: head.seq + 1, run, body });
    const addition = { seq: head.seq, events: [{ body }], head: after, taken: [], left: [] };
    const answer = this.world.verbs.release({ ...ref, run, epoch, executor }, addition);
    if (answer.outcome === 'written') this.world.tell({ ...ref, run }, addition, answer.at);
  }

  private hasLostLock(): boolean {
    const row = this.executor === null ? undefined : this.world.tables.executors.get(this.executor);
    return row?.connection.signal.aborted === true;
  }

  private forgetAll(): void {
    this.executor = null;
    this.hands.clear();
    this.errands = [];
  }
}
