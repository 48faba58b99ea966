import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { createCluster } from '../server/create-cluster.js';
import { spawnIdentity } from '../server/postgres-server.js';
import { livePostmaster, stopServer } from '../server/postmaster.mjs';
import { serverUser } from '../server/server-user.js';
import { locateServer } from './locate-server.js';

const loader = fileURLToPath(new URL('../../../../tools/typescript.mjs', import.meta.url));
const entry = new URL('./start-embedded-postgres.ts', import.meta.url).href;

/** A process that starts the embedded server as an app does, and says what happens, one JSON line each. */
const OWNER = `
const { startEmbeddedPostgres } = await import(${JSON.stringify(entry)});
const say = (line) => console.log(JSON.stringify(line));
const [directory, lockTimeoutMs, orphanGraceMs] = process.argv.slice(1);
const onLost = (error) => { say({ error: error.message }); process.exit(3); };
try {
  const embedded = await startEmbeddedPostgres({
    directory, onLost, onProgress: (progress) => say({ progress }),
    lockTimeoutMs: Number(lockTimeoutMs), orphanGraceMs: Number(orphanGraceMs),
  });
  process.on('SIGTERM', () => embedded.stop().then(() => process.exit(0)));
  say({ url: embedded.url, directory: embedded.directory });
} catch (error) {
  say({ error: error.message });
  process.exitCode = 1;
}`;

/** Waits of the embedded server, in milliseconds; see EmbeddedPostgresOptions. */
interface Waits {
  readonly lock?: number;
  readonly grace?: number;
}

interface Line {
  readonly progress?: string;
  readonly url?: string;
  readonly directory?: string;
  readonly error?: string;
}

/** An owner in the making; `outcome` is its last word: an address or an error. */
class Owner {
  readonly progress: string[] = [];
  readonly outcome: Promise<Line>;
  readonly exited: Promise<unknown>;
  private readonly child: ChildProcess;

  constructor(folder: string, { lock = 10_000, grace = 60_000 }: Waits) {
    this.child = spawn(
      process.execPath,
      ['--import', loader, '--input-type=module', '-e', OWNER, folder, String(lock), String(grace)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.exited = once(this.child, 'exit');
    this.outcome = this.listen();
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    await this.exited;
  }

  private listen(): Promise<Line> {
    return new Promise((resolve) => {
      if (!this.child.stdout) return;
      createInterface({ input: this.child.stdout }).on('line', (text) => {
        const line = JSON.parse(text) as Line;
        if (line.progress) this.progress.push(line.progress);
        else resolve(line);
      });
    });
  }
}

describe('the embedded server', () => {
  let root: string;
  let folder: string;
  let owners: Owner[];

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'parley-test-embedded-'));
    await chmod(root, 0o755);
    // Making a cluster takes a second, copying one a tenth.
    const server = await locateServer(join(root, 'cluster'), () => {});
    await createCluster({ ...server, initOptions: ['--no-sync'] });
  });

  beforeEach(async () => {
    owners = [];
    folder = join(root, 'data');
    await promisify(execFile)('cp', ['-a', join(root, 'cluster'), folder]);
  });

  afterEach(async () => {
    await Promise.all(owners.map((owner) => owner.kill('SIGKILL')));
    await stopServer(server(), 'immediate');
    await rm(join(root, 'data'), { recursive: true });
  });

  afterAll(() => rm(root, { recursive: true }));

  it('starts on an empty folder, durable, on a private socket, closed to who lacks the password', async () => {
    await rm(server(), { recursive: true });
    const owner = start();
    const { url = '', error } = await owner.outcome;

    expect(error).toBeUndefined();
    expect(owner.progress).toEqual([`creating the database in ${folder}/postgres`, 'starting the database']);
    expect(
      await query(
        url,
        `select current_database() as db, current_setting('fsync') as fsync, version() ~ 'SQL 18' as new`,
      ),
    ).toEqual([{ db: 'parley', fsync: 'on', new: true }]);
    expect(await query(url, `select current_setting('listen_addresses') as addresses`)).toEqual([{ addresses: '' }]);
    expect(await mode('postgres')).toBe('700');
    expect(await mode('postgres/password')).toBe('600');
    const forged = new URL(url);
    forged.password = 'guess';
    await expect(query(forged.href, 'select')).rejects.toThrow(/password authentication failed/);
  });

  it('stops cleanly at SIGTERM, and starts again within a second or so, with all its data', async () => {
    await query(await ready(start()), `create table notes as select 'kept' as text`);
    await stop();
    expect(await livePostmaster(server())).toBeUndefined();
    const log = await readFile(join(server(), 'server.log'), 'utf8');

    const before = performance.now();
    const owner = start();
    expect(await query(await ready(owner), 'select text from notes')).toEqual([{ text: 'kept' }]);
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(owner.progress).toEqual(['starting the database']);
    expect(log).toMatch(/database system is shut down\n$/);
  });

  it('is adopted by the next start after kill -9 of its owner, five times at once after another', async () => {
    let url = await ready(start());
    await query(url, 'create table starts (n int)');
    const pid = await serverPid();
    for (let n = 1; n <= 5; n += 1) {
      await query(url, `insert into starts values (${n})`);
      await killOwners();
      url = await ready(start());
    }

    expect(await query(url, 'select count(*)::int as n from starts')).toEqual([{ n: 5 }]);
    expect(await serverPid()).toBe(pid);
  });

  it('stops by itself after its owner died, leaving no process', async () => {
    await ready(start({ grace: 0 }));
    const watcher = await watchers();
    await killOwners();
    await until(async () => (await livePostmaster(server())) === undefined && (await watchers()).length === 0);

    expect(watcher).toHaveLength(1);
  });

  it('starts whenever its stopping is under way', async () => {
    let url = await ready(start({ grace: 300 }));
    for (const delay of [0, 100, 200, 280, 300, 320, 340, 360, 400]) {
      await killOwners();
      await sleep(delay);
      url = await ready(start({ grace: 300 }));
    }

    // The watchers of the dead owners find the lock taken and go.
    await until(async () => (await watchers()).length === 1);
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is given to one of two that start at once on an empty folder; the other names it and leaves it alone', async () => {
    await rm(server(), { recursive: true });
    const [first, second] = [start({ lock: 300, grace: 0 }), start({ lock: 300, grace: 0 })];
    const outcomes = await Promise.all([first.outcome, second.outcome]);
    const [winner, loser] = outcomes[0].url ? [first, second] : [second, first];
    await loser.exited;

    expect((await loser.outcome).error).toBe(`Parley (pid ${winner.pid}) already uses this database`);
    expect(loser.progress).toContain(`waiting for Parley (pid ${winner.pid}) to let go of the database`);
    await until(async () => (await watchers()).length === 1);
    expect(await query(await ready(winner), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('goes to the one that waits when its owner stops', async () => {
    const first = start();
    await ready(first);
    const second = start();
    await until(async () => second.progress.some((line) => line.startsWith('waiting for Parley')));
    await first.kill('SIGTERM');

    expect(await query(await ready(second), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('starts although the pid in a stale file belongs to a living process of the same user', async () => {
    await ready(start());
    const pidFile = join(server(), 'data', 'postmaster.pid');
    const text = await readFile(pidFile, 'utf8');
    await stop();
    const stranger = spawn('sleep', ['60'], spawnIdentity(await serverUser()));
    await writeFile(pidFile, text.replace(/^\d+/, String(stranger.pid)));

    expect(await query(await ready(start()), 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(stranger.kill()).toBe(true);
  });

  it('is started again when it dies under its owner, at the same address and still under its lock', async () => {
    const owner = start();
    const url = await ready(owner);
    const pid = await serverPid();
    process.kill(pid, 'SIGKILL');
    await until(async () => {
      const postmaster = await livePostmaster(server());
      return postmaster?.ready === true && postmaster.pid !== pid;
    });

    await until(() =>
      query(url, 'select').then(
        () => true,
        () => false,
      ),
    );
    expect((await start({ lock: 300 }).outcome).error).toBe(`Parley (pid ${owner.pid}) already uses this database`);
  });

  it('listens on 127.0.0.1 where its folder is too deep for a socket, and keeps the port when it is started again', async () => {
    const deep = join(folder, 'x'.repeat(80));
    await mkdir(deep);
    await rename(server(), join(deep, 'postgres'));
    folder = deep;
    const url = await ready(start());
    expect(new URL(url).host).toMatch(/^127\.0\.0\.1:\d+$/);
    process.kill(await serverPid(), 'SIGKILL');

    await until(() =>
      query(url, 'select').then(
        () => true,
        () => false,
      ),
    );
  });

  it('refuses a database of another major version', async () => {
    await ready(start());
    await stop();
    await writeFile(join(server(), 'data', 'PG_VERSION'), '17\n');

    expect((await start().outcome).error).toMatch(/holds a database of Postgres 17, this build brings Postgres 18/);
  });

  function start(waits: Waits = {}): Owner {
    const owner = new Owner(folder, waits);
    owners.push(owner);
    return owner;
  }

  async function ready(owner: Owner): Promise<string> {
    const { url, error } = await owner.outcome;
    if (!url) throw new Error(error);
    return url;
  }

  const stop = () => Promise.all(owners.map((owner) => owner.kill('SIGTERM')));
  const killOwners = () => Promise.all(owners.map((owner) => owner.kill('SIGKILL')));
  const server = () => join(folder, 'postgres');

  async function serverPid(): Promise<number> {
    return (await livePostmaster(server()))?.pid ?? 0;
  }

  async function mode(path: string): Promise<string> {
    return ((await stat(join(folder, path))).mode & 0o777).toString(8);
  }

  async function watchers(): Promise<string[]> {
    const { stdout } = spawn('pgrep', ['-f', `stop-orphan.mjs ${server()}`]);
    let text = '';
    for await (const chunk of stdout) text += String(chunk);
    return text.split('\n').filter(Boolean);
  }
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 15_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('it did not happen within 15 s');
    await sleep(20);
  }
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
