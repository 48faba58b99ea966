import { PostgresRunLog } from '@parley/persistence';
import { answerParent } from '../rig/answer-parent.js';

/** What a holder is told: where the log is, and how many runs to claim. */
export interface HolderOrder {
  databaseUrl: string;
  runs: number;
}

/** An executor that claims runs and then does nothing but show that it lives; answers the ids of its runs. */
answerParent(async ({ databaseUrl, runs }: HolderOrder): Promise<string[]> => {
  const log = PostgresRunLog.connect(databaseUrl, 'parley-bench-holder');
  const executor = await log.register();
  setInterval(() => void log.heartbeat(executor), 1_000);
  const claimed = await log.claim(executor, runs);
  return claimed.map(({ run }) => run);
});
