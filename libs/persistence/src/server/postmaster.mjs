/**
 * The running server of a folder: found, addressed and ended by the files that it keeps there. Plain JavaScript,
 * because a process that plain node runs from the sources needs it too (../embedded/stop-orphan.mjs).
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * A server process as its `postmaster.pid` describes it.
 * @typedef {object} Postmaster
 * @property {number} pid
 * @property {number} port
 * @property {string} socketDirectory Where its socket is; empty when it listens on none.
 * @property {string} host The first address it listens on; empty when it listens on none.
 * @property {boolean} ready Whether it accepts connections.
 */

const POLL_MS = 10;
const STOP_TIMEOUT_MS = 30_000;

/** The one login of a server of ours, its superuser. */
export const SERVER_LOGIN = 'parley';

/**
 * The paths inside a server's folder.
 * @param {string} directory
 */
export function serverFiles(directory) {
  return {
    data: join(directory, 'data'),
    password: join(directory, 'password'),
    socket: join(directory, 'socket'),
    log: join(directory, 'server.log'),
  };
}

/**
 * The address of a database of that server; it carries the password.
 * @param {string} directory
 * @param {Postmaster} postmaster
 * @param {string} database
 */
export async function serverUrl(directory, postmaster, database) {
  const password = await readFile(serverFiles(directory).password, 'utf8');
  const host = postmaster.host || 'localhost';
  const url = new URL(`postgresql://${SERVER_LOGIN}:${password}@${host}:${postmaster.port}/${database}`);
  if (!postmaster.host) url.searchParams.set('host', postmaster.socketDirectory);
  return url.href;
}

/**
 * What the folder's `postmaster.pid` says, true or stale; undefined where there is none (or half of one).
 * @param {string} directory
 * @returns {Promise<Postmaster | undefined>}
 */
export async function readPostmaster(directory) {
  const text = await readFile(join(serverFiles(directory).data, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port, socketDirectory = '', host = '', , status = ''] = text.split('\n').map((line) => line.trim());
  if (!pid || !port) return undefined;
  return { pid: Number(pid), port: Number(port), socketDirectory, host, ready: status === 'ready' };
}

/**
 * The folder's server while its process lives, accepting connections or not; undefined where none runs. Pids are used
 * again, so a live process counts only when its command line names the folder.
 * @param {string} directory
 */
export async function livePostmaster(directory) {
  const postmaster = await readPostmaster(directory);
  return postmaster && (await isServerOf(postmaster.pid, directory)) ? postmaster : undefined;
}

/**
 * Ends the server of that folder, and resolves when it is gone: `fast` ends sessions and writes a checkpoint,
 * `immediate` leaves the rest to recovery. Resolves at once where none runs. Rejects after 30 s.
 * @param {string} directory
 * @param {'fast' | 'immediate'} [mode]
 */
export async function stopServer(directory, mode = 'fast') {
  const postmaster = await livePostmaster(directory);
  if (!postmaster) return;
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  process.kill(postmaster.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  while (await isServerOf(postmaster.pid, directory)) {
    if (performance.now() > deadline) throw new Error(`Postgres (pid ${postmaster.pid}) did not stop within 30 s`);
    await sleep(POLL_MS);
  }
}

/**
 * @param {number} pid
 * @param {string} directory
 */
async function isServerOf(pid, directory) {
  const [program = '', ...args] = await commandLine(pid);
  const { data } = serverFiles(directory);
  return basename(program) === 'postgres' && args.some((arg, index) => arg === data && args[index - 1] === '-D');
}

/**
 * @param {number} pid
 * @returns {Promise<string[]>}
 */
async function commandLine(pid) {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return text.split('\0');
  }
  const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command=']).catch(() => ({
    stdout: '',
  }));
  return stdout.trim().split(' ');
}
