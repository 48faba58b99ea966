import { Injectable } from '@nestjs/common';
import { type Fact, type Frame, type RunId } from '@parley/core';
import { crashPoint } from '@parley/host';
import { Frames } from '@parley/messaging';
import { RunLog, takingOver, type SessionRef, type Situation } from '@parley/persistence';
import { Announcer } from '../writing/announcer.js';
import { Poster } from '../writing/poster.js';

/** How long the holder of a run has to end it after a cancel was posted, in milliseconds (DESIGN §7.6). */
const HOLDER_MS = 1_000;
/** How often the row is looked at meanwhile: frames may be lost. */
const LOOK_EVERY_MS = 200;

/** Ends a run that an executor holds and whose cancel is posted: by its holder, or over its head. */
@Injectable()
export class HeldRunEnding {
  constructor(
    private readonly log: RunLog,
    private readonly frames: Frames,
    private readonly announcer: Announcer,
    private readonly poster: Poster,
  ) {}

  /** Answers when the run has not the turn any more, or no cancel is unread that would end it. */
  async execute(ref: SessionRef, run: RunId): Promise<void> {
    const patience = performance.now() + HOLDER_MS;
    for (;;) {
      const situation = await this.log.look(ref);
      const active = situation?.active;
      if (!situation || active?.run !== run || !situation.facts.some(isCancel)) return;
      if (active.executor === null) await this.poster.write(ref, situation);
      else if (performance.now() >= patience) await this.#takeOver(ref, situation);
      else {
        const heard = this.#hearEnd(ref, run, Math.min(LOOK_EVERY_MS, patience - performance.now()));
        this.announcer.nudge(ref, run, active.executor);
        await heard;
      }
    }
  }

  async #takeOver(ref: SessionRef, situation: Situation): Promise<void> {
    const takeOver = takingOver(ref, situation);
    if (!takeOver) return;
    crashPoint('take-over.before');
    const written = await this.log.takeOver(takeOver);
    if (written.outcome !== 'written') return;
    crashPoint('take-over.after');
    this.announcer.wrote(ref, takeOver.run, takeOver, written);
  }

  #hearEnd(ref: SessionRef, run: RunId, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        stop();
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      const stop = this.frames.subscribe(ref, ({ frames }) => {
        if (frames.some((frame) => isEndOf(run, frame))) done();
      });
    });
  }
}

const isCancel = ({ body }: Fact): boolean => body.kind === 'cancel';

const isEndOf = (run: RunId, frame: Frame): boolean =>
  frame.kind === 'event' && frame.run === run && frame.event.body.kind === 'run_ended';
