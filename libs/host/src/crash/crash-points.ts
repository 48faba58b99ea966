/**
 * Every place where a process may be made to die (DESIGN §10): beside each durable write and each effect. `before`: the
 * thing has not been done; `after`: it has, and nobody knows yet.
 */
export const CRASH_POINTS = [
  // session
  'admit.before',
  'admit.after',
  'post.before',
  'post.after',
  'write.before',
  'write.after',
  'take-over.before',
  'take-over.after',
  // run-executor: the process
  'register.after',
  'claim.before',
  'claim.after',
  'reclaim.before',
  'reclaim.after',
  'hand-over.after',
  // run-executor: one run
  'model.before',
  'model.delta',
  'model.after',
  'append.before',
  'append.after',
  'park.before',
  'park.after',
  'finish.before',
  'finish.after',
  'release.before',
  'release.after',
] as const;

/** The name of a place in `CRASH_POINTS`. */
export type CrashPoint = (typeof CRASH_POINTS)[number];
