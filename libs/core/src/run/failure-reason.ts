import { z } from 'zod';

/** Why a run failed: the word that its `run_ended` event and its row give as reason. */
export const FailureReason = z.enum([
  'rounds_exceeded',
  'tokens_exceeded',
  'cost_exceeded',
  /** What the run costs is limited, and nobody says what its model costs. */
  'price_unknown',
  'model_failed',
  'invalid_output',
  /** Process after process died while it acted the run. */
  'poison',
  /** A fault of Parley. */
  'internal',
]);
export type FailureReason = z.infer<typeof FailureReason>;
