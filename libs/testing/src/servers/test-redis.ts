import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@parley/persistence';
import { TestServerProcess } from './test-server-process.js';

const PROGRAM = 'redis-server';

/** A Redis server of one spec. */
export class TestRedis {
  private constructor(
    private readonly process: TestServerProcess,
    private readonly folder: string,
  ) {}

  /** Not started yet. @param users lines of its configuration, beside the user `test`, who may do all. */
  static async create(users = 'user default off'): Promise<TestRedis> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-test-redis-'));
    const port = await freePort();
    const file = join(folder, 'redis.conf');
    const own = ['bind 127.0.0.1', `port ${port}`, `dir ${folder}`, 'save ""', 'maxmemory-policy noeviction'];
    await writeFile(file, [...own, 'user test on >test ~* &* +@all', users, ''].join('\n'), { mode: 0o600 });
    return new TestRedis(new TestServerProcess(PROGRAM, [file], port), folder);
  }

  static async start(users?: string): Promise<TestRedis> {
    const redis = await TestRedis.create(users);
    await redis.start();
    return redis;
  }

  get port(): number {
    return this.process.port;
  }

  /** Its address for one of its users. */
  url(user = 'test', password = user): string {
    return `redis://${user}:${password}@127.0.0.1:${this.port}`;
  }

  start(): Promise<void> {
    return this.process.start();
  }

  kill(): Promise<void> {
    return this.process.kill();
  }

  pause(): Promise<void> {
    return this.process.pause();
  }

  resume(): void {
    this.process.resume();
  }

  /** Ends it and removes what it wrote. */
  async remove(): Promise<void> {
    await this.process.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
