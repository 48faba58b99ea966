import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type BlobId, PlatformError, type AgentVersion, type DeltaFrame } from '@parley/core';
import {
  type Addition,
  type ClaimedRun,
  type Finishing,
  type Held,
  type Parking,
  type Written,
} from '@parley/persistence';
import { giveBack } from '../executor/give-back.js';
import { type HeldRun } from '../executor/held-run.js';
import { type Lease } from '../executor/lease.js';
import { type Slots } from '../executor/slots.js';
import { insist } from '../loop/insist.js';
import { type LoopTools } from '../loop/loop-tools.js';
import { endPoisoned } from './end-poisoned.js';
import { IsolatedProcess } from './isolated-process.js';
import { type IsolatedProgram } from './isolated-program.js';
import { type Ask, type ChildVerb, type ToParent } from './messages.js';

/** What kills a process and its parent kills them in this time: only whoever is still there then may judge. */
const TOGETHER_MS = 250;
/** Ticks (4 a second) without a word after which a child counts as hung. Counted, so that a parent at rest counts none. */
const UNHEARD_TICKS = 120;
/** Wait before a run goes back to the queue whose child could not even begin, in milliseconds. */
const RETRY_MS = 1_000;

const logger = new Logger('IsolatedRun');

/** How runs are isolated in this process. */
export interface Isolation {
  program: IsolatedProgram;
  /** Children at once: each is a process with its own memory. */
  slots: Slots;
}

/**
 * A run with which executors have died, acted by a child of this process (DESIGN §7.7). If the child dies and its parent
 * does not, the run is what killed it: it ends as failed. If both die, nobody is left to say so, and it is tried again.
 */
export class IsolatedRun implements HeldRun {
  readonly receivedAt = performance.now();
  readonly #gone = new AbortController();
  #process: IsolatedProcess | undefined;
  #tail: DeltaFrame[] = [];
  readonly #writes = new Set<Promise<void>>();
  #unheard = 0;
  #hasBegun = false;
  #isNudged = false;
  #isOver = false;

  constructor(
    private readonly tools: LoopTools,
    readonly claimed: ClaimedRun,
    private readonly lease: Lease,
    private readonly isolation: Isolation,
  ) {}

  async run(): Promise<void> {
    try {
      const agent = await insist(
        async () => this.tools.agents.recall(this.claimed) ?? (await this.tools.agents.fetch(this.claimed)),
        () => this.#isGone,
      );
      if (agent && (await this.#hasRoom())) await this.#actedApart(agent);
      if (!this.#isOver) await giveBack(this.tools, this.#held);
    } catch (error) {
      logger.error({ ...this.#held, err: error }, 'a run could not be isolated');
    }
    this.#isOver = true;
  }

  nudge(): void {
    this.#isNudged = true;
    if (this.#hasBegun) this.#process?.send(this.#nudge);
  }

  tick(): void {
    if (this.#process && ++this.#unheard === UNHEARD_TICKS) this.#process.kill();
  }

  handBack(): void {
    this.#gone.abort();
    this.#process?.send({ kind: 'hand_back' });
  }

  drop(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#gone.abort();
    this.#process?.kill();
    logger.warn({ ...this.#held, reason }, 'an isolated run was dropped');
  }

  get isWriting(): boolean {
    return this.#writes.size > 0;
  }

  get tail(): readonly DeltaFrame[] {
    return this.#tail;
  }

  get #isGone(): boolean {
    return this.#gone.signal.aborted || this.lease.isOver;
  }

  get #held(): Held {
    const { tenant, session, run, epoch } = this.claimed;
    return { tenant, session, run, epoch, executor: this.lease.executor };
  }

  /** Waits for its turn to have a child. @returns false when the run is to go elsewhere first. */
  async #hasRoom(): Promise<boolean> {
    const { slots } = this.isolation;
    const gone = this.#gone.signal;
    while (!this.#isGone) {
      if (slots.take(1) === 1) return true;
      await Promise.race([slots.opened(), once(gone, 'abort')]);
    }
    return false;
  }

  async #actedApart(agent: AgentVersion): Promise<void> {
    const process = new IsolatedProcess(this.isolation.program, (message) => this.#hear(message, agent));
    this.#process = process;
    const fate = await process.ended;
    this.isolation.slots.giveBack(1);
    await Promise.all(this.#writes);
    if (this.#isOver) return;
    await sleep(this.#hasBegun ? TOGETHER_MS : RETRY_MS);
    if (this.#isOver || this.#isGone) return;
    const hung = this.#unheard >= UNHEARD_TICKS ? ' after it had hung' : '';
    const { lastWords } = process;
    logger.error({ ...this.#held, fate, hung, lastWords }, 'the process of an isolated run died');
    if (this.#hasBegun) await this.#poison(`${fate}${hung}`);
  }

  async #poison(fate: string): Promise<void> {
    const isOver = (): boolean => this.#isOver || this.lease.isOver;
    const poisoned = { held: this.#held, claimed: this.claimed, shown: this.#tail, fate, isOver };
    await insist(() => endPoisoned(this.tools, poisoned), isOver);
    this.#isOver = true;
  }

  #hear(message: ToParent, agent: AgentVersion): void {
    this.#unheard = 0;
    switch (message.kind) {
      case 'ready':
        return this.#begin(agent);
      case 'ask':
        return this.#answer(message);
      case 'frames':
        for (const frame of message.batch.frames) {
          if (frame.kind === 'delta') this.#tail.push(frame);
          else this.#tail = [];
        }
        return this.tools.announcer.forward(message.batch);
      case 'ring':
        return this.tools.announcer.ring(message.count, message.dueAt);
      case 'done':
        this.#isOver = true;
    }
  }

  #begin(agent: AgentVersion): void {
    if (this.#isGone) return this.#process?.kill();
    const { claimed, isolation } = this;
    const now = new Date(claimed.now.getTime() + performance.now() - this.receivedAt);
    const task = { claimed: { ...claimed, now }, executor: this.lease.executor, agent };
    this.#hasBegun = true;
    this.#process?.send({ kind: 'act', task: { ...task, settings: isolation.program.settings } });
    if (this.#isNudged) this.#process?.send(this.#nudge);
  }

  get #nudge() {
    const { tenant, run } = this.claimed;
    return { kind: 'nudge', tenant, run } as const;
  }

  #answer({ id, verb, args }: Ask): void {
    const answering = this.#do(verb, args).then(
      (value) => this.#process?.send({ kind: 'answer', id, value }),
      (error: unknown) => {
        const refusal = PlatformError.from(error).toJSON();
        this.#process?.send({ kind: 'answer', id, refusal });
      },
    );
    if (verb === 'read' || verb === 'heartbeat') return;
    this.#writes.add(answering);
    void answering.then(() => this.#writes.delete(answering));
  }

  /** Whatever the child names, it is this run that is read and written, in this executor's name. */
  async #do(verb: ChildVerb, [, ...args]: unknown[]): Promise<unknown> {
    const { log } = this.tools;
    const held = this.#held;
    switch (verb) {
      case 'putBlob':
        return await this.tools.blobs.store.put(this.claimed, args[0] as BlobId, args[1] as Uint8Array[]);
      case 'readBlob':
        return await piecesOf(this.tools.blobs.store.read(this.claimed, args[0] as BlobId));
      case 'append':
        return await log.append(held, args[0] as Addition);
      case 'park':
        return this.#lastly(await log.park(held, args[0] as Addition, args[1] as Parking));
      case 'finish':
        return this.#lastly(await log.finish(held, args[0] as Addition, args[1] as Finishing));
      case 'release':
        return this.#lastly(await log.release(held, args[0] as Addition));
      case 'read':
        return await log.read(held, args[0] as { after: number; limit: number });
      case 'heartbeat': {
        const beat = await log.heartbeat(held.executor);
        return { ...beat, held: beat.held.filter(({ run }) => run === held.run), overdue: [] };
      }
    }
  }

  /** From here on the child may end as it likes. */
  #lastly(written: Written): Written {
    this.#isOver ||= written.outcome === 'written';
    return written;
  }
}

const piecesOf = async (bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return pieces;
};
