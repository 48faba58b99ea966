import { REDIS_PREFIX } from './bull-permits.js';

/**
 * What BullMQ needs, on our keys alone: its scripts, what they do inside, and what a connection asks at its start.
 * `@dangerous` holds INFO, without which BullMQ does not know which server it has.
 */
const RIGHTS = [
  ...['on', `~${REDIS_PREFIX}:*`, 'resetchannels'],
  ...['+@read', '+@write', '+@scripting', '+@connection', '-@dangerous', '+info', '+ping'],
];

/** What an app may do in Redis beyond that, or less. */
const ACCESS = {
  // It rings; it never waits for a ring.
  session: ['-@blocking'],
  'run-executor': [],
} as const;

/** An app that uses Redis. */
export type RedisApp = keyof typeof ACCESS;

/** The apps that use Redis; each has a user of its name. */
export const REDIS_APPS = Object.keys(ACCESS) as RedisApp[];

/** The rules of an app's user, as they stand in Redis' configuration behind `user <name>`. */
export const redisRules = (app: RedisApp, password: string): string[] => [...RIGHTS, ...ACCESS[app], `>${password}`];
