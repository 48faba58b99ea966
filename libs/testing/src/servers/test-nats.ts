import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@parley/persistence';
import { TestServerProcess } from './test-server-process.js';

const PROGRAM = 'nats-server';

/** A NATS server of one spec. */
export class TestNats {
  private constructor(
    private readonly process: TestServerProcess,
    private readonly folder: string,
  ) {}

  /** Not started yet. @param config more of the server's own configuration, e.g. its users; one user `test` when absent. */
  static async create(config = 'authorization { users = [{ user: test, password: test }] }'): Promise<TestNats> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-test-nats-'));
    const port = await freePort();
    const file = join(folder, 'nats.conf');
    await writeFile(file, `host: 127.0.0.1\nport: ${port}\n${config}\n`, { mode: 0o600 });
    return new TestNats(new TestServerProcess(PROGRAM, ['-c', file], port), folder);
  }

  static async start(config?: string): Promise<TestNats> {
    const nats = await TestNats.create(config);
    await nats.start();
    return nats;
  }

  get port(): number {
    return this.process.port;
  }

  /** Its address for one of its users. */
  url(user = 'test', password = user): string {
    return `nats://${user}:${password}@127.0.0.1:${this.port}`;
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
