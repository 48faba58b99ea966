import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@parley/persistence';
import { TestServer } from './test-server.js';

/** A Redis server of one spec. */
export class TestRedis extends TestServer {
  /** Not started yet. @param users lines of its configuration, beside the user `test`, who may do all. */
  static async create(users = 'user default off'): Promise<TestRedis> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-test-redis-'));
    const port = await freePort();
    const file = join(folder, 'redis.conf');
    const own = ['bind 127.0.0.1', `port ${port}`, `dir ${folder}`, 'save ""', 'maxmemory-policy noeviction'];
    await writeFile(file, [...own, 'user test on >test ~* &* +@all', users, ''].join('\n'), { mode: 0o600 });
    return new TestRedis({ scheme: 'redis', program: 'redis-server', args: [file], port, folder });
  }

  static async start(users?: string): Promise<TestRedis> {
    const redis = await TestRedis.create(users);
    await redis.start();
    return redis;
  }
}
