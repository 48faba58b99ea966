import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformError } from '@parley/core';

/** Waits between two tries, in milliseconds. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

/**
 * Asks again while whoever is asked is away: what is under way is not given up because of a restart elsewhere. A write
 * whose answer got lost may have been done, so it must be one that the other side refuses the second time.
 * @returns undefined once `isOver`.
 * @throws what is thrown that another try would not mend.
 */
export const insist = async <T>(ask: () => Promise<T>, isOver: () => boolean): Promise<T | undefined> => {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error)) throw error;
      if (isOver()) return undefined;
      await sleep(wait);
    }
  }
};

const isAway = (error: unknown): boolean => ['unavailable', 'timeout'].includes(PlatformError.from(error).code);
