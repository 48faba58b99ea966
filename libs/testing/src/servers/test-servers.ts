import { spawn, type ChildProcess } from 'node:child_process';
import { access, chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createCluster,
  DISPOSABLE_SETTINGS,
  freePort,
  mayExecute,
  serverUrl,
  serverUser,
  startServer,
  usableBinaries,
  type PostgresServer,
} from '@parley/persistence';
import { publishPostgresServers, testServersFlush, type TestPostgresServer } from '../config.js';

/** Debian's package; the least version that Parley supports. */
const DEBIAN_BINARIES = '/usr/lib/postgresql/15/bin';

type TestServer = PostgresServer & { readonly name: TestPostgresServer['name'] };

let remover: ChildProcess | undefined;

/**
 * Starts the named servers (else both) on ports and in a folder of their own, answers with their addresses, and tells
 * the specs' processes about them.
 */
export async function startTestServers(
  names: readonly TestPostgresServer['name'][] = ['postgres 15', 'postgres 18'],
): Promise<TestPostgresServer[]> {
  if (names.includes('postgres 15')) await assertDebianPostgres();
  const root = await mkdtemp(join(tmpdir(), 'parley-test-'));
  remover = startRemover(root);
  try {
    // The servers' user must reach its folders below.
    await chmod(root, 0o755);
    await assertEnterable(root);
    const servers = (await describeServers(root)).filter(({ name }) => names.includes(name));
    const started = await Promise.all(servers.map(start));
    publishPostgresServers(started);
    return started;
  } catch (error) {
    await stopTestServers();
    throw error;
  }
}

/** Ends them and removes their folder; resolves when nothing is left. */
export async function stopTestServers(): Promise<void> {
  const process = remover;
  remover = undefined;
  if (!process || process.exitCode !== null) return;
  const gone = new Promise((resolve) => process.once('exit', resolve));
  process.ref();
  process.stdin?.end();
  await gone;
}

async function describeServers(root: string): Promise<TestServer[]> {
  const user = await serverUser();
  const shared = { user, settings: testServersFlush() ? {} : DISPOSABLE_SETTINGS };
  const debian = { directory: DEBIAN_BINARIES, majorVersion: 15 };
  const [binaries, port15, port18] = await Promise.all([
    usableBinaries({ user, copyTo: root }),
    freePort(),
    freePort(),
  ]);
  return [
    // A sort order that is not that of code points, as production servers have: SQL that assumes one fails here.
    {
      ...shared,
      name: 'postgres 15',
      directory: join(root, '15'),
      binaries: debian,
      port: port15,
      initOptions: ['--no-sync', '--locale-provider=icu', '--icu-locale=en-US'],
    },
    {
      ...shared,
      name: 'postgres 18',
      directory: join(root, '18'),
      binaries,
      port: port18,
      initOptions: ['--no-sync'],
    },
  ];
}

async function start(server: TestServer): Promise<TestPostgresServer> {
  await createCluster(server);
  const postmaster = await startServer(server);
  return { name: server.name, url: await serverUrl(server.directory, postmaster, 'postgres') };
}

async function assertDebianPostgres(): Promise<void> {
  try {
    await access(join(DEBIAN_BINARIES, 'postgres'));
  } catch {
    throw new Error('Integration specs need Postgres 15 beside the embedded one: apt-get install postgresql-15');
  }
}

async function assertEnterable(root: string): Promise<void> {
  const user = await serverUser();
  if (await mayExecute(root, user)) return;
  throw new Error(`Postgres runs as user ${user?.name}, who cannot enter ${root}: set TMPDIR to a folder that it can`);
}

/** In a session of its own, so that a Ctrl-C meant for the test run does not end it before it has tidied up. */
function startRemover(root: string): ChildProcess {
  const script = fileURLToPath(new URL('./remove-servers.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, root], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  child.unref();
  return child;
}
