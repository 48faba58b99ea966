import { setTimeout as sleep } from 'node:timers/promises';
import { type Supervisor } from './supervisor.js';

const READY_POLL_MS = 100;

/** Waits until every process says that it is ready. Rejects when `signal` aborts. */
export const allReady = async (supervisor: Supervisor, signal: AbortSignal): Promise<void> => {
  for (const { readyUrl } of supervisor.processes) {
    while (!(await isReady(readyUrl))) await sleep(READY_POLL_MS, undefined, { signal });
  }
};

const isReady = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(3_000) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
