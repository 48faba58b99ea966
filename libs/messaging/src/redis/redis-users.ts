import { createHash } from 'node:crypto';
import { REDIS_PREFIX } from './queues.js';

/** What a connection needs to become ready, and readiness asks. */
const CONNECTION = ['info', 'ping'];
/** How BullMQ's scripts are run. What they do they do with the rights of their caller. */
const SCRIPTS = ['evalsha', 'eval'];
/** What they do to add a job, due or delayed. */
const ADD = ['incr', 'hget', 'hmget', 'hset', 'hmset', 'lpush', 'llen', 'zadd', 'zrange', 'zrevrangebyscore', 'xadd'];
/** What they do to wait for a job, to fetch and complete it, to count those that wait and to remove abandoned ones. */
const TAKE = [
  ...['bzpopmin', 'rpoplpush', 'lrem', 'lrange', 'lset', 'lindex', 'exists', 'del', 'hincrby', 'hgetall'],
  ...['zrangebyscore', 'zpopmin', 'zrem', 'zcard', 'scard', 'xtrim', 'client|setname'],
];

/** What each app may do: session adds permits, run-executor also takes them. */
const ACCESS = {
  session: [...CONNECTION, ...SCRIPTS, ...ADD],
  'run-executor': [...CONNECTION, ...SCRIPTS, ...ADD, ...TAKE],
} as const;

/** An app that uses Redis. */
export type RedisApp = keyof typeof ACCESS;

/** The apps that use Redis; each has a user of its name. */
export const REDIS_APPS = Object.keys(ACCESS) as RedisApp[];

/**
 * The rules of an app's user, as they stand in Redis' configuration behind `user <name>`: these commands on our own
 * keys. The password's hash is enough for Redis, and no secret in its file.
 */
export const redisRules = (app: RedisApp, password: string): string[] => {
  const hash = createHash('sha256').update(password).digest('hex');
  return ['on', `#${hash}`, `~${REDIS_PREFIX}:*`, 'resetchannels', '-@all', ...ACCESS[app].map((name) => `+${name}`)];
};
