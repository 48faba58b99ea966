import { z } from 'zod';
import { CRASH_POINTS, type CrashPoint } from './crash-points.js';

/** Where a process is to die: the n-th time that it comes by a crash point. For tests; `<name>:<n>` in `CRASH_AT`. */
export interface CrashAt {
  point: CrashPoint;
  /** Counts from 1. */
  nth: number;
}

/** Schema of the variable `CRASH_AT`. */
export const CrashAt: z.ZodType<CrashAt, string> = z
  .string()
  .regex(/^[^:]+:[1-9][0-9]{0,8}$/, 'must be <name of a crash point>:<n>')
  .transform((text) => ({ point: text.split(':')[0], nth: Number(text.split(':')[1]) }))
  .pipe(z.object({ point: z.enum(CRASH_POINTS), nth: z.number() }));
