import { Logger } from '@nestjs/common';
import { apply, type DeltaFrame, type RunId, type TenantId } from '@parley/core';
import { type ClaimedRun, type ExecutorId, type Heartbeat } from '@parley/persistence';
import { type LoopTools } from '../loop/loop-tools.js';
import { RunLoop } from '../loop/run-loop.js';
import { Lease } from './lease.js';
import { endOverdue } from './overdue-cancel.js';

type HeldRow = Heartbeat['held'][number];

/** After the last event of any log. */
const END_OF_LOG = Number.MAX_SAFE_INTEGER;

/**
 * The time of this process under one executor id, and the runs it holds by it. Every heartbeat's answer says what that
 * is by the rows: what is not held any more is dropped, what is held and not known here is given back to the queue.
 */
export class Registration {
  readonly lease: Lease;
  readonly #logger = new Logger(Registration.name);
  readonly #loops = new Map<string, RunLoop>();
  readonly #running = new Set<Promise<void>>();
  /** Held by the row at the last heartbeat, unknown here. Named twice, it is not on its way here any more. */
  #strays = new Set<string>();
  #isLost = false;
  #isLeaving = false;

  /** @param askedAt when the registration was asked for, on the clock of `performance.now()`. */
  constructor(
    private readonly tools: LoopTools,
    readonly executor: ExecutorId,
    askedAt: number,
  ) {
    this.lease = new Lease(tools.log, executor, (beat, sentAt) => this.#hear(beat, sentAt), askedAt);
  }

  /** True when this executor was declared dead: its runs are in other hands. */
  get isLost(): boolean {
    return this.#isLost;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Acts the run. Resolves when this process has no more to do with it; never rejects. */
  async hold(claimed: ClaimedRun): Promise<void> {
    const key = keyOf(claimed);
    this.#loops.get(key)?.drop('it was claimed again');
    const loop = new RunLoop(this.tools, claimed, this.lease);
    this.#loops.set(key, loop);
    if (this.#isLeaving) loop.handBack();
    const running = loop.run();
    this.#running.add(running);
    await running;
    this.#running.delete(running);
    if (this.#loops.get(key) === loop) this.#loops.delete(key);
  }

  nudge(address: { tenant: TenantId; run: RunId }): void {
    this.#loops.get(keyOf(address))?.nudge();
  }

  tail(address: { tenant: TenantId; run: RunId }): readonly DeltaFrame[] {
    return this.#loops.get(keyOf(address))?.tail ?? [];
  }

  /** Called a few times a second. */
  tick(): void {
    for (const loop of this.#loops.values()) loop.tick();
  }

  /** Gives all runs back to the queue, each before its next effect, and every one that comes from now on. */
  leave(): void {
    this.#isLeaving = true;
    for (const loop of this.#loops.values()) loop.handBack();
  }

  /** Resolves when nothing is held any more. */
  async emptied(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Says good-bye, unless the rows say that something is held: then others find the runs when the lock is gone. */
  async retire(): Promise<void> {
    const { alive, held } = await this.tools.log.heartbeat(this.executor);
    if (alive && held.length === 0) await this.tools.log.retire(this.executor);
  }

  #hear(beat: Heartbeat, sentAt: number): void {
    this.#isLost ||= !beat.alive;
    const held = new Map(beat.held.map((row) => [keyOf(row), row]));
    for (const [key, loop] of this.#loops) {
      const row = held.get(key);
      const isNews = loop.isWriting || loop.receivedAt > sentAt;
      if (row?.epoch === loop.claimed.epoch) {
        if (row.unread) loop.nudge();
      } else if (!isNews) loop.drop('another has it by the row');
    }
    for (const address of beat.overdue) void endOverdue(this.tools, address);
    this.#findStrays(beat.held.filter((row) => this.#loops.get(keyOf(row))?.claimed.epoch !== row.epoch));
  }

  #findStrays(unknown: HeldRow[]): void {
    const named = this.#strays;
    this.#strays = new Set(unknown.map((row) => `${keyOf(row)}/${row.epoch}`));
    for (const row of unknown) if (named.has(`${keyOf(row)}/${row.epoch}`)) void this.#giveBack(row);
  }

  /** A run that got lost on its way here, or whose loop could not tell whether its write was done. */
  async #giveBack({ tenant, session, run, epoch }: HeldRow): Promise<void> {
    const { log, announcer } = this.tools;
    const ref = { tenant, session };
    try {
      const page = await log.read(ref, { after: END_OF_LOG, limit: 1 });
      if (page?.head.run?.id !== run) return;
      const seq = page.head.seq + 1;
      const body = { kind: 'restarted' as const, round: page.head.run.rounds + 1 };
      const head = apply(page.head, { seq, run, body });
      const addition = { seq: page.head.seq, events: [{ body }], head, taken: [], left: [] };
      const written = await log.release({ ...ref, run, epoch, executor: this.executor }, addition);
      this.#logger.warn({ ...ref, run, epoch, outcome: written.outcome }, 'a stray run was given back');
      if (written.outcome !== 'written') return;
      announcer.reclaimed([{ ...ref, run, restarted: { seq, at: written.at, round: body.round } }]);
    } catch (error) {
      this.#logger.warn({ ...ref, run, epoch, err: error }, 'a stray run could not be given back');
    }
  }
}

const keyOf = ({ tenant, run }: { tenant: TenantId; run: RunId }): string => `${tenant}/${run}`;
