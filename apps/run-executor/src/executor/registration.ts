import { runNudged, tailRun } from '@parley/contracts';
import { type DeltaFrame, type RunId, type TenantId } from '@parley/core';
import { type Bus } from '@parley/messaging';
import { type ClaimedRun, type ExecutorId, type Heartbeat } from '@parley/persistence';
import { type LoopTools } from '../loop/loop-tools.js';
import { giveBack } from './give-back.js';
import { type HeldRun } from './held-run.js';
import { Lease } from './lease.js';
import { endOverdue } from './overdue-cancel.js';
import { tailPage } from './tail-page.js';

type HeldRow = Heartbeat['held'][number];

/** What a registration works with. */
export interface RegistrationSetting {
  tools: Pick<LoopTools, 'log' | 'announcer'>;
  executor: ExecutorId;
  /** How a run is acted that has come into these hands. */
  act: (claimed: ClaimedRun, lease: Lease) => HeldRun;
  /** Where others ask and nudge it by its id; absent: nobody does. */
  bus?: Bus;
}

/**
 * The time of this process under one executor id, and the runs it holds by it. Every heartbeat's answer says what that
 * is by the rows: what is not held any more is dropped, what is held and not known here is given back to the queue.
 */
export class Registration {
  readonly lease: Lease;
  readonly #runs = new Map<string, HeldRun>();
  readonly #running = new Set<Promise<void>>();
  /** Held by the row at the last heartbeat, unknown here. Named twice, it is not on its way here any more. */
  #strays = new Set<string>();
  readonly #stops: (() => void)[];
  #isLost = false;
  #isLeaving = false;

  /** @param askedAt when the registration was asked for, on the clock of `performance.now()`. */
  constructor(
    private readonly setting: RegistrationSetting,
    askedAt: number,
  ) {
    const { tools, executor, bus } = setting;
    this.lease = new Lease(tools.log, executor, (beat, sentAt) => this.#hear(beat, sentAt), askedAt);
    this.#stops = bus
      ? [
          bus.serve(tailRun, executor, async (asked) => tailPage(this.#tail(asked), asked.after)),
          bus.subscribe(runNudged, (nudged) => this.nudge(nudged), { executor }),
        ]
      : [];
  }

  get executor(): ExecutorId {
    return this.setting.executor;
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
    this.#runs.get(key)?.drop('it was claimed again');
    const loop = this.setting.act(claimed, this.lease);
    this.#runs.set(key, loop);
    if (this.#isLeaving) loop.handBack();
    const running = loop.run();
    this.#running.add(running);
    await running;
    this.#running.delete(running);
    if (this.#runs.get(key) === loop) this.#runs.delete(key);
  }

  /** Called a few times a second. */
  tick(): void {
    for (const loop of this.#runs.values()) loop.tick();
  }

  /** Gives all runs back to the queue, each before its next effect, and every one that comes from now on. */
  leave(): void {
    this.#isLeaving = true;
    for (const loop of this.#runs.values()) loop.handBack();
  }

  /** Resolves when nothing is held any more. */
  async emptied(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Hears nobody any more. */
  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Says good-bye, unless the rows say that something is held: then others find the runs when the lock is gone. */
  async retire(): Promise<void> {
    const { log } = this.setting.tools;
    const { alive, held } = await log.heartbeat(this.executor);
    if (alive && held.length === 0) await log.retire(this.executor);
  }

  /** Facts may wait in the inbox of a run. */
  nudge(address: { tenant: TenantId; run: RunId }): void {
    this.#runs.get(keyOf(address))?.nudge();
  }

  /** The message that a run is making right now; empty when it is not held under this epoch. */
  #tail({ epoch, ...address }: { tenant: TenantId; run: RunId; epoch: number }): readonly DeltaFrame[] {
    const run = this.#runs.get(keyOf(address));
    return run?.claimed.epoch === epoch ? run.tail : [];
  }

  #hear(beat: Heartbeat, sentAt: number): void {
    this.#isLost ||= !beat.alive;
    const held = new Map(beat.held.map((row) => [keyOf(row), row]));
    for (const [key, loop] of this.#runs) {
      const row = held.get(key);
      const isNews = loop.isWriting || loop.receivedAt > sentAt;
      if (row?.epoch === loop.claimed.epoch) {
        if (row.unread) loop.nudge();
      } else if (!isNews) loop.drop('another has it by the row');
    }
    for (const address of beat.overdue) void endOverdue(this.setting.tools, address);
    this.#findStrays(beat.held.filter((row) => this.#runs.get(keyOf(row))?.claimed.epoch !== row.epoch));
  }

  #findStrays(unknown: HeldRow[]): void {
    const named = this.#strays;
    this.#strays = new Set(unknown.map((row) => `${keyOf(row)}/${row.epoch}`));
    for (const row of unknown) if (named.has(`${keyOf(row)}/${row.epoch}`)) void this.#giveBack(row);
  }

  /** A run that got lost on its way here, or whose loop could not tell whether its write was done. */
  async #giveBack({ tenant, session, run, epoch }: HeldRow): Promise<void> {
    await giveBack(this.setting.tools, { tenant, session, run, epoch, executor: this.executor });
  }
}

const keyOf = ({ tenant, run }: { tenant: TenantId; run: RunId }): string => `${tenant}/${run}`;
