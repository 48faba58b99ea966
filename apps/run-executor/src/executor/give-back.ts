import { Logger } from '@nestjs/common';
import { apply } from '@parley/core';
import { type Held } from '@parley/persistence';
import { type LoopTools } from '../loop/loop-tools.js';

/** After the last event of any log. */
export const END_OF_LOG = Number.MAX_SAFE_INTEGER;

const logger = new Logger('GiveBack');

/**
 * Gives back a run that is held by the row and acted by nobody; what was shown of it and not committed is void. Never
 * rejects: what is still held is named by the next heartbeat.
 */
export const giveBack = async ({ log, announcer }: Pick<LoopTools, 'log' | 'announcer'>, held: Held): Promise<void> => {
  const { executor: _, epoch, run, ...ref } = held;
  try {
    const page = await log.read(ref, { after: END_OF_LOG, limit: 1 });
    if (page?.head.run?.id !== run) return;
    const seq = page.head.seq + 1;
    const body = { kind: 'restarted' as const, round: page.head.run.rounds + 1 };
    const head = apply(page.head, { seq, run, body });
    const addition = { seq: page.head.seq, events: [{ body }], head, taken: [], left: [] };
    const written = await log.release(held, addition);
    logger.warn({ ...ref, run, epoch, outcome: written.outcome }, 'a run that nobody acts was given back');
    if (written.outcome !== 'written') return;
    announcer.reclaimed([{ ...ref, run, restarted: { seq, at: written.at, round: body.round } }]);
  } catch (error) {
    logger.warn({ ...ref, run, epoch, err: error }, 'a run that nobody acts could not be given back');
  }
};
