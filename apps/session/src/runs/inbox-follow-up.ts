import { Injectable, Logger } from '@nestjs/common';
import { RunLog, type SessionRef } from '@parley/persistence';
import { Poster } from '../writing/poster.js';
import { HeldRunEnding } from './held-run-ending.js';

/** Sees to what an admission has put into the inbox of the run that has the turn: words for it, or its cancel. */
@Injectable()
export class InboxFollowUp {
  readonly #logger = new Logger(InboxFollowUp.name);

  constructor(
    private readonly log: RunLog,
    private readonly poster: Poster,
    private readonly ending: HeldRunEnding,
  ) {}

  /** Nobody holds the run: this process writes, and answers when that is done. */
  async write(ref: SessionRef): Promise<void> {
    await this.poster.write(ref);
  }

  /**
   * An executor holds the run that is to make room. The admission is answered meanwhile; should this process die, the
   * executors end a run whose cancel stays unread.
   */
  endHeld(ref: SessionRef): void {
    this.#endHeld(ref).catch((error: unknown) => {
      this.#logger.warn({ ...ref, err: error }, 'a run that is to make room was not ended from here');
    });
  }

  async #endHeld(ref: SessionRef): Promise<void> {
    const situation = await this.log.look(ref);
    if (situation?.active) await this.ending.execute(ref, situation.active.run);
  }
}
