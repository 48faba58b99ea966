import { Logger } from '@nestjs/common';
import { crashPoint } from '@parley/host';
import { takingOver, type Heartbeat } from '@parley/persistence';
import { type LoopTools } from '../loop/loop-tools.js';

const logger = new Logger('OverdueCancel');

/**
 * Ends a run whose cancel was not read for 2 s, over its holder's head, whoever that is: whoever posted the cancel should
 * have done so after 1 s, and has died (DESIGN §7.6). Never rejects: the next heartbeat names it again.
 */
export const endOverdue = async (
  { log, announcer }: Pick<LoopTools, 'log' | 'announcer'>,
  { run, ...ref }: Heartbeat['overdue'][number],
): Promise<void> => {
  try {
    const situation = await log.look(ref);
    const takeOver = situation && takingOver(ref, situation);
    if (takeOver?.run !== run) return;
    crashPoint('take-over.before');
    const written = await log.takeOver(takeOver);
    logger.warn({ ...ref, run, outcome: written.outcome }, 'a cancel was not heeded: the run is ended');
    if (written.outcome === 'written') announcer.tookOver(takeOver, written);
  } catch (error) {
    logger.warn({ ...ref, run, err: error }, 'an unheeded cancel could not be seen to');
  }
};
