import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REDIS_APPS, redisRules, type RedisApp } from '@parley/messaging';
import { freePort } from '@parley/persistence';
import { OwnServer } from './own-server.js';

/** A Redis server of this cluster, whose users are its apps; not started yet. */
export const ownRedis = async (folder: string, passwords: Record<RedisApp, string>): Promise<OwnServer> => {
  const port = await freePort();
  const data = join(folder, 'redis');
  await mkdir(data, { recursive: true });
  const users = REDIS_APPS.map((app) => `user ${app} ${redisRules(app, passwords[app]).join(' ')}`);
  const settings = ['bind 127.0.0.1', `port ${port}`, `dir ${data}`, 'appendonly yes', 'maxmemory-policy noeviction'];
  const file = join(folder, 'redis.conf');
  await writeFile(file, [...settings, 'user default off', ...users, ''].join('\n'), { mode: 0o600 });
  return new OwnServer('redis', ['redis-server', file], port);
};
