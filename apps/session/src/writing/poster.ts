import { Injectable } from '@nestjs/common';
import { PlatformError, type FactId, type RunState } from '@parley/core';
import { crashPoint } from '@parley/host';
import { RunLog, type ExecutorId, type SessionRef, type Situation } from '@parley/persistence';
import { Announcer } from './announcer.js';
import { unheldStep } from './unheld-step.js';

/** How a poster left a session. */
export interface Left {
  /** Of the run that had the turn; null when no run has it any more. */
  state: RunState | null;
  /** Who has come to hold the run meanwhile, and so is the writer. */
  executor: ExecutorId | null;
  /** Facts that are still unread. */
  unread: FactId[];
}

/** Every lost race means that another writer came through, so this is never reached by chance. */
const MAX_ATTEMPTS = 100;

/** The writer of a log while nobody holds its run: whoever posts a fact then, appends what it leads to (DESIGN §7.3). */
@Injectable()
export class Poster {
  constructor(
    private readonly log: RunLog,
    private readonly announcer: Announcer,
  ) {}

  /** Writes what the session's unread facts lead to. `found`: the session as the caller has just found it. */
  async write(ref: SessionRef, found?: Situation): Promise<Left> {
    let situation = found ?? (await this.log.look(ref));
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const left = situation?.active ? await this.#step(ref, situation) : IDLE;
      if (left) return left;
      situation = await this.log.look(ref);
    }
    throw new PlatformError('unavailable', `session '${ref.session}' is written to by too many at once`);
  }

  /** Undefined: look again. */
  async #step(ref: SessionRef, { head, active, facts }: Situation): Promise<Left | undefined> {
    if (!active) return IDLE;
    const { run, state, executor } = active;
    if (executor !== null) return { state, executor, unread: facts.map(({ id }) => id) };
    if (facts.length === 0) return { state, executor, unread: [] };
    const step = unheldStep(head, active, facts);
    crashPoint('write.before');
    const written = await this.log.write({ ...ref, ...step.addition, run, then: step.then });
    if (written.outcome !== 'written') return undefined;
    crashPoint('write.after');
    this.announcer.wrote(ref, run, step.addition, written);
    if (step.then === 'queue') this.announcer.ring();
    const isOver = typeof step.then === 'object';
    if (!isOver && written.facts.length > 0) return undefined;
    return { state: step.state, executor, unread: isOver ? [] : step.addition.left };
  }
}

const IDLE: Left = { state: null, executor: null, unread: [] };
