import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A server process as its `postmaster.pid` describes it. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Where its socket is; empty when it listens on none. */
  readonly socketDirectory: string;
  /** The first address it listens on; empty when it listens on none. */
  readonly host: string;
  /** Whether it accepts connections. */
  readonly ready: boolean;
}

const POLL_MS = 10;
const STOP_TIMEOUT_MS = 30_000;

/** What the data folder's `postmaster.pid` says, true or stale; undefined where there is none (or half of one). */
export async function readPostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port, socketDirectory = '', host = '', , status = ''] = text.split('\n').map((line) => line.trim());
  if (!pid || !port) return undefined;
  return { pid: Number(pid), port: Number(port), socketDirectory, host, ready: status === 'ready' };
}

/** Whether that process lives and is the server of that folder: pids are used again, so both are asked. */
export async function isPostmasterOf(pid: number, dataDirectory: string): Promise<boolean> {
  const [program = '', ...args] = await commandLine(pid);
  return (
    basename(program) === 'postgres' && args.some((arg, index) => arg === dataDirectory && args[index - 1] === '-D')
  );
}

/**
 * Ends the server of that folder, and resolves when it is gone: `fast` ends sessions and writes a checkpoint,
 * `immediate` leaves the rest to recovery. Resolves at once where none runs. Rejects after 30 s.
 */
export async function stopPostmaster(dataDirectory: string, mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
  const postmaster = await readPostmaster(dataDirectory);
  if (!postmaster || !(await isPostmasterOf(postmaster.pid, dataDirectory))) return;
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  process.kill(postmaster.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  while (await isPostmasterOf(postmaster.pid, dataDirectory)) {
    if (performance.now() > deadline) throw new Error(`Postgres (pid ${postmaster.pid}) did not stop within 30 s`);
    await sleep(POLL_MS);
  }
}

async function commandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return text.split('\0');
  }
  const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command=']).catch(() => ({
    stdout: '',
  }));
  return stdout.trim().split(' ');
}
