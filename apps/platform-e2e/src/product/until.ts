import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/**
 * Waits until something is so: the first answer that is not false, null or undefined.
 * @throws Error, naming what was waited for, when it is not so in time.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  timeoutMs = 15_000,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) {
      return found as Exclude<T, false | null | undefined>;
    }
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await sleep(LOOK_EVERY_MS);
  }
}
