import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile, rename, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnIdentity, type PostgresServer } from './postgres-server.js';
import { livePostmaster, readPostmaster, serverFiles, type Postmaster } from './postmaster.mjs';
import { SERVER_SETTINGS } from './server-settings.js';

/** Long, because a server that crashed first replays its log. */
const START_TIMEOUT_MS = 300_000;
const POLL_MS = 10;
const MAX_LOG_BYTES = 10_000_000;
/** What the kernel takes for a socket's address, its closing NUL included (macOS has the least). */
const MAX_SOCKET_PATH = 104;

/** A server that did not start; the message holds the end of its log. */
export class ServerStartError extends Error {
  override readonly name = 'ServerStartError';

  /** Whether the cause is another server of the folder: one that was faster, or what is left of one that was killed. */
  get isOccupied(): boolean {
    return /lock file "postmaster.pid" already exists|pre-existing shared memory block/.test(this.message);
  }
}

/** The running server of that folder once it accepts connections; undefined where none runs. */
export async function findServer({ directory }: Pick<PostgresServer, 'directory'>): Promise<Postmaster | undefined> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const postmaster = await livePostmaster(directory);
    if (!postmaster || postmaster.ready) return postmaster;
    await sleep(POLL_MS);
  }
  throw new ServerStartError(`the Postgres server in ${directory} does not get ready:\n${await endOfLog(directory)}`);
}

/**
 * Starts the server of a folder that has a cluster, in a session of its own: neither our death nor a Ctrl-C in our
 * terminal ends it. Resolves when it accepts connections; rejects with ServerStartError where it does not.
 */
export async function startServer(server: PostgresServer): Promise<Postmaster> {
  const output = await openLog(serverFiles(server.directory).log);
  const child = spawnServer(server, output, await stalePid(server.directory));
  await output.close();
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
    const postmaster = await readPostmaster(server.directory);
    if (postmaster?.ready && postmaster.pid === child.pid) return postmaster;
    await sleep(POLL_MS);
  }
  throw new ServerStartError(`Postgres did not start in ${server.directory}:\n${await endOfLog(server.directory)}`);
}

/** Whether the socket in that folder has a path short enough to be listened on. */
export function fitsSocket(directory: string): boolean {
  return Buffer.byteLength(join(serverFiles(directory).socket, '.s.PGSQL.65535')) < MAX_SOCKET_PATH;
}

function spawnServer(server: PostgresServer, output: FileHandle, stale: number | undefined): ChildProcess {
  const { data } = serverFiles(server.directory);
  const { env, ...identity } = spawnIdentity(server.user);
  // The server refuses to start while the pid in a stale file belongs to any process. Named as a pid to ignore, it no
  // longer counts, but orphaned workers of the dead server are still looked for; deleting the file would hide them.
  const ignoredPid = stale === undefined ? {} : { PG_GRANDPARENT_PID: String(stale) };
  const child = spawn(join(server.binaries.directory, 'postgres'), ['-D', data, ...settingOptions(server)], {
    ...identity,
    env: { ...env, ...ignoredPid },
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
  });
  // What a failed spawn means is reported by the wait for readiness.
  child.on('error', () => {});
  child.unref();
  return child;
}

/** The pid that a dead server left in its file, whoever has it now. */
async function stalePid(directory: string): Promise<number | undefined> {
  const postmaster = await readPostmaster(directory);
  return postmaster && !(await livePostmaster(directory)) ? postmaster.pid : undefined;
}

function settingOptions({ directory, port, settings }: PostgresServer): string[] {
  const socket = fitsSocket(directory) ? serverFiles(directory).socket : '';
  const all = {
    ...SERVER_SETTINGS,
    listen_addresses: port === undefined ? '' : '127.0.0.1',
    ...(port === undefined ? {} : { port }),
    unix_socket_directories: socket,
    unix_socket_permissions: '0700',
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function openLog(path: string): Promise<FileHandle> {
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size > MAX_LOG_BYTES) await rename(path, `${path}.1`);
  return open(path, 'a', 0o600);
}

async function endOfLog(directory: string): Promise<string> {
  const text = await readFile(serverFiles(directory).log, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-12).join('\n');
}
