/** Every key of ours in Redis begins with it. */
export const REDIS_PREFIX = 'parley';
/** The queue of permits. */
export const RUNS_QUEUE = 'runs';
