import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { crashPoint } from '@parley/host';
import { Bus, Permits } from '@parley/messaging';
import { type ClaimedRun, type ExecutorId } from '@parley/persistence';
import { IsolatedRun, type Isolation } from '../isolation/isolated-run.js';
import { LoopTools } from '../loop/loop-tools.js';
import { RunLoop } from '../loop/run-loop.js';
import { Claims } from './claims.js';
import { ExecutorOptions } from './executor-options.js';
import { type HeldRun } from './held-run.js';
import { type Lease } from './lease.js';
import { Registration } from './registration.js';
import { Slots } from './slots.js';

/** One timer drives all that this process does by the clock, in milliseconds. */
const PULSE_MS = 250;
/** Pulses from one claim without a permit to the next, and from one heartbeat to the next. */
const POLL_EVERY = 2;
const BEAT_EVERY = 4;
/** How often it is looked for whether reserved slots are back, in milliseconds. */
const RESERVED_WAIT_MS = 10;

/** Deaths in a row, without progress between them, after which a run is acted apart. */
const ISOLATED_FROM = 2;
/** Runs acted apart at once; the others wait: many are only in line because something else killed their executor. */
const MAX_ISOLATED = 8;

/** A slot that is kept for one run; exactly one of the two is called. */
export interface ReservedSlot {
  readonly executor: ExecutorId;
  /** The run, which was written as claimed by that executor. */
  fill(claimed: ClaimedRun): void;
  /** There is no run for it. */
  giveBack(): void;
}

/**
 * This process as an executor: registers, shows that it lives, sees who has died, claims runs while it has free slots,
 * and hands them back when it has to stop. Where its lock connection is lost it goes on under a new id; what it holds
 * under the former one it acts to the end, unless another takes it.
 */
@Injectable()
export class Executor implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(Executor.name);
  readonly #slots: Slots;
  readonly #claims: Claims;
  readonly #isolation: Isolation;
  readonly #stopping = new AbortController();
  /** Not claimed for any more. */
  readonly #former = new Set<Registration>();
  #current: Registration | undefined;
  #registering: Promise<void> | undefined;
  #reclaiming: Promise<void> | undefined;
  /** Whether the runs of every earlier executor were reclaimed, where this one knows that it is alone. */
  #hasSwept = false;
  #pulse: NodeJS.Timeout | undefined;
  #pulses = 0;
  /** Slots that are kept for admissions under way. */
  #reserved = 0;

  constructor(
    private readonly tools: LoopTools,
    private readonly options: ExecutorOptions,
    private readonly bus: Bus,
    permits: Permits,
  ) {
    this.#slots = new Slots(options.slots);
    this.#isolation = { program: options.isolated, slots: new Slots(MAX_ISOLATED) };
    this.#claims = new Claims(this.#slots, permits, (slots) => this.#claim(slots));
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#pulse = setInterval(() => this.#onPulse(), PULSE_MS);
    await this.#register();
    await this.#reclaim();
    void this.#claims.listen(this.#stopping.signal);
    void this.#claims.poll();
  }

  /** Claims nothing more, lets runs end for a while, then hands back what is left: no run is lost. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#stopping.abort();
    await Promise.race([this.#emptied(), sleep(this.options.graceMs, undefined, { ref: false })]);
    for (const registration of this.#registrations) registration.leave();
    await this.#claims.settled();
    while (this.#reserved > 0) await sleep(RESERVED_WAIT_MS);
    await this.#emptied();
    clearInterval(this.#pulse);
    for (const registration of this.#registrations) {
      registration.close();
      await this.#retire(registration);
    }
    this.#current = undefined;
  }

  /**
   * Keeps a slot for a run that is being admitted in this process, so that it can come straight into its hands (DESIGN
   * §6); undefined: none is to be had.
   */
  reserve(): ReservedSlot | undefined {
    const registration = this.#current;
    if (!registration?.lease.isFresh || this.#stopping.signal.aborted || this.#slots.take(1) === 0) return undefined;
    this.#reserved += 1;
    return {
      executor: registration.executor,
      fill: (claimed) => {
        crashPoint('hand-over.after');
        this.#reserved -= 1;
        void this.#act(registration, claimed);
      },
      giveBack: () => {
        this.#reserved -= 1;
        this.#slots.giveBack(1);
      },
    };
  }

  get #registrations(): Registration[] {
    return this.#current ? [this.#current, ...this.#former] : [...this.#former];
  }

  #onPulse(): void {
    this.#pulses += 1;
    for (const registration of this.#registrations) {
      registration.tick();
      if (this.#pulses % BEAT_EVERY === 0) void registration.lease.beat();
    }
    for (const former of this.#former) if (former.isIdle) void this.#part(former);
    this.#renew();
    if (this.#current) void this.#reclaim();
    if (this.#pulses % POLL_EVERY === 0) void this.#claims.poll();
  }

  /** Goes on under a new id where the present one is dead, or looks dead to others. */
  #renew(): void {
    const current = this.#current;
    if (current && (current.isLost || this.tools.log.lockLost(current.executor).aborted)) {
      this.#logger.warn({ executor: current.executor }, 'this executor counts as dead: it registers anew');
      this.#former.add(current);
      this.#current = undefined;
    }
    if (!this.#current && !this.#stopping.signal.aborted) void this.#register();
  }

  /** Never rejects: the next pulse tries again. */
  #register(): Promise<void> {
    return (this.#registering ??= this.#registerNow().finally(() => (this.#registering = undefined)));
  }

  async #registerNow(): Promise<void> {
    const askedAt = performance.now();
    try {
      const executor = await this.tools.log.register();
      const act = (claimed: ClaimedRun, lease: Lease): HeldRun => this.#heldRun(claimed, lease);
      this.#current = new Registration({ tools: this.tools, executor, act, bus: this.bus }, askedAt);
      crashPoint('register.after');
    } catch (error) {
      this.#logger.warn({ err: error }, 'this executor could not register');
    }
  }

  /** Never rejects: the next pulse tries again. */
  #reclaim(): Promise<void> {
    return (this.#reclaiming ??= this.#reclaimNow().finally(() => (this.#reclaiming = undefined)));
  }

  async #reclaimNow(): Promise<void> {
    if (!this.#current) return;
    const { log, announcer } = this.tools;
    const scope = this.options.isAlone && !this.#hasSwept ? 'everyone' : 'dead';
    try {
      crashPoint('reclaim.before');
      const reclaimed = await log.reclaim(this.#current.executor, scope);
      this.#hasSwept = true;
      if (reclaimed.length === 0) return;
      crashPoint('reclaim.after');
      this.#logger.log({ runs: reclaimed.length, scope }, 'runs of dead executors were reclaimed');
      announcer.reclaimed(reclaimed);
    } catch (error) {
      this.#logger.warn({ err: error }, 'dead executors could not be looked for');
    }
  }

  async #claim(slots: number): Promise<number> {
    const registration = this.#current;
    if (!registration || this.#stopping.signal.aborted) return 0;
    crashPoint('claim.before');
    const runs = await this.tools.log.claim(registration.executor, slots);
    if (runs.length > 0) crashPoint('claim.after');
    for (const run of runs) void this.#act(registration, run);
    return runs.length;
  }

  /** A run with which executors have died again and again is acted apart, so that it harms nobody else (DESIGN §7.7). */
  #heldRun(claimed: ClaimedRun, lease: Lease): HeldRun {
    if (claimed.deaths < ISOLATED_FROM) return new RunLoop(this.tools, claimed, lease);
    return new IsolatedRun(this.tools, claimed, lease, this.#isolation);
  }

  /** The slot is taken already. */
  async #act(registration: Registration, claimed: ClaimedRun): Promise<void> {
    await registration.hold(claimed);
    this.#slots.giveBack(1);
    this.#claims.onFreeSlot();
  }

  async #emptied(): Promise<void> {
    await Promise.all(this.#registrations.map((registration) => registration.emptied()));
  }

  async #part(former: Registration): Promise<void> {
    this.#former.delete(former);
    former.close();
    if (!former.isLost) await this.#retire(former);
  }

  async #retire(registration: Registration): Promise<void> {
    try {
      await registration.retire();
    } catch (error) {
      this.#logger.warn({ executor: registration.executor, err: error }, 'this executor left without a good-bye');
    }
  }
}
