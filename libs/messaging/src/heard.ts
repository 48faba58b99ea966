import { type Logger } from '@nestjs/common';
import { type EventContract } from '@parley/contracts';
import { issuesOf, issuesText } from '@parley/core';
import { type z } from 'zod';

/** Hands an event to a listener as its contract has it; what is wrong with either goes to the log, to nobody else. */
export const heard = <P extends z.ZodType, A>(
  { pattern, payload }: EventContract<P, A>,
  listener: (payload: z.output<P>) => void,
  logger: Logger,
): ((value: unknown) => void) => {
  return (value) => {
    const parsed = payload.safeParse(value);
    if (!parsed.success) {
      const reason = issuesText(issuesOf(parsed.error));
      logger.error({ pattern, reason }, 'an event came that its contract does not allow');
      return;
    }
    try {
      listener(parsed.data);
    } catch (error) {
      logger.error({ pattern, err: error }, 'a listener failed');
    }
  };
};
