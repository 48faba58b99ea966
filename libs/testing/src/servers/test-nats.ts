import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@parley/persistence';
import { TestServer } from './test-server.js';

/** A NATS server of one spec. */
export class TestNats extends TestServer {
  /** Not started yet. @param config more of the server's own configuration, e.g. its users; one user `test` when absent. */
  static async create(config = 'authorization { users = [{ user: test, password: test }] }'): Promise<TestNats> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-test-nats-'));
    const port = await freePort();
    const file = join(folder, 'nats.conf');
    await writeFile(file, `host: 127.0.0.1\nport: ${port}\n${config}\n`, { mode: 0o600 });
    return new TestNats({ scheme: 'nats', program: 'nats-server', args: ['-c', file], port, folder });
  }

  static async start(config?: string): Promise<TestNats> {
    const nats = await TestNats.create(config);
    await nats.start();
    return nats;
  }
}
