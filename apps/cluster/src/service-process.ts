import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** How a process of an app is started. */
export interface ProcessStart {
  /** The built main file. */
  main: string;
  environment: Record<string, string>;
  /** Its log is appended here. */
  logFile: string;
}

const GUARD = new URL('./guard.js', import.meta.url).href;
/** How long a process may take to stop before it is killed, in milliseconds. */
const STOP_MS = 20_000;

/** One process of an app; it ends with the launcher. */
export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<unknown>;

  constructor({ main, environment, logFile }: ProcessStart) {
    const log = openSync(logFile, 'a', 0o600);
    const args = ['--enable-source-maps', '--import', GUARD, main];
    const cwd = fileURLToPath(new URL('../../..', import.meta.url));
    this.#child = spawn(process.execPath, args, { cwd, env: environment, stdio: ['pipe', log, log] });
    closeSync(log);
    this.exited = once(this.#child, 'exit').catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Tells it to stop, and kills it where it does not. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
    await this.exited;
    clearTimeout(late);
  }
}
