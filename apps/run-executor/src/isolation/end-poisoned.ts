import { type DeltaFrame, POISON } from '@parley/core';
import { type ClaimedRun, type Held } from '@parley/persistence';
import { END_OF_LOG } from '../executor/give-back.js';
import { type LoopTools } from '../loop/loop-tools.js';
import { RunJournal } from '../loop/run-journal.js';

/** A run whose own process is gone. */
export interface Poisoned {
  held: Held;
  claimed: ClaimedRun;
  /** What readers were shown of the reply in the making. */
  shown: readonly DeltaFrame[];
  /** What became of the process. */
  fate: string;
  isOver: () => boolean;
}

/** Ends such a run: no executor is to try it again. */
export const endPoisoned = async (
  tools: LoopTools,
  { held, claimed, shown, fate, isOver }: Poisoned,
): Promise<void> => {
  const page = await tools.log.read(held, { after: END_OF_LOG, limit: 1 });
  if (page?.head.run?.id !== held.run) return;
  const { head } = page;
  const journal = new RunJournal({
    log: tools.log,
    held,
    claimed: { ...claimed, head, facts: [] },
    frames: tools.announcer.framesOf({ ...claimed, head }),
    isOver,
  });
  if (shown.length > 0) journal.add({ kind: 'restarted', round: page.head.run.rounds + 1 });
  while (!isOver() && !journal.refusal) {
    const cancel = journal.place();
    const written = await journal.finish(
      cancel
        ? { state: 'cancelled', reason: cancel.reason, rewind: cancel.rewind }
        : { state: 'failed', reason: `${POISON}its own process ${fate}` },
    );
    if (!written) continue;
    if (written.promoted) tools.announcer.promoted(held, written.promoted, written.at);
    return;
  }
};
