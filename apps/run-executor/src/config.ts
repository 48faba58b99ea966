import { variable } from '@parley/host';
import { z } from 'zod';

/** What the environment says of executing runs. */
export const ExecutorConfig = z.object({
  /** Runs held at once; most of the time a run waits for its model. */
  slots: variable('EXECUTOR_SLOTS', z.coerce.number().int().min(1).max(100_000).default(256)),
  /** How long running runs may take to end by themselves when the process is told to stop, in milliseconds. */
  graceMs: variable('EXECUTOR_GRACE_MS', z.coerce.number().int().min(0).max(10_000).default(3_000)),
});
export type ExecutorConfig = z.infer<typeof ExecutorConfig>;
