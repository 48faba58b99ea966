import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REDIS_APPS, redisRules, type RedisApp } from '@parley/messaging';
import { freePort } from '@parley/persistence';
import { startServerProcess, type StartedServer } from './server-process.js';

/** A Redis server of this cluster, whose users are its apps. */
export const startRedis = async (folder: string, passwords: Record<RedisApp, string>): Promise<StartedServer> => {
  const port = await freePort();
  const data = join(folder, 'redis');
  await mkdir(data, { recursive: true });
  const users = REDIS_APPS.map((app) => `user ${app} ${redisRules(app, passwords[app]).join(' ')}`);
  const settings = ['bind 127.0.0.1', `port ${port}`, `dir ${data}`, 'appendonly yes', 'maxmemory-policy noeviction'];
  const file = join(folder, 'redis.conf');
  await writeFile(file, [...settings, 'user default off', ...users, ''].join('\n'), { mode: 0o600 });
  return startServerProcess(['redis-server', file], port);
};
