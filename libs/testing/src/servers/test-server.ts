import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 10_000;
const POLL_MS = 10;

/** A server of one spec. */
export interface TestServerSettings {
  /** The scheme of its addresses. */
  scheme: string;
  program: string;
  args: readonly string[];
  port: number;
  /** All that it writes; removed with it. */
  folder: string;
}

/** A server's program on a port of its own, to be killed, stopped and started again by a test. Not started yet. */
export abstract class TestServer {
  #child: ChildProcess | undefined;
  #output = '';

  protected constructor(private readonly settings: TestServerSettings) {}

  get port(): number {
    return this.settings.port;
  }

  /** Its address for one of its users. */
  url(user = 'test', password = user): string {
    return `${this.settings.scheme}://${user}:${password}@127.0.0.1:${this.port}`;
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const { program, args } = this.settings;
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.#output += String(chunk)));
    const failure = once(child, 'error').then(([error]: unknown[]) => Promise.reject(error as Error));
    await Promise.race([this.#accepting(child), failure]);
    failure.catch(() => undefined);
  }

  /** As `kill -9` does; resolves when it is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    child.kill('SIGCONT');
    await gone;
  }

  /** It keeps its connections and says nothing more, until `resume`. */
  async pause(): Promise<void> {
    this.#child?.kill('SIGSTOP');
    // The signal is on its way: what is asked before it arrives would still be answered.
    while (this.#child?.pid !== undefined && !isStopped(this.#child.pid)) await sleep(POLL_MS);
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Ends it and removes what it wrote. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.settings.folder, { recursive: true, force: true });
  }

  async #accepting(child: ChildProcess): Promise<void> {
    const deadline = performance.now() + START_MS;
    while (performance.now() < deadline && child.exitCode === null && child.signalCode === null) {
      if (await accepts(this.port)) return;
      await sleep(POLL_MS);
    }
    throw new Error(
      `${this.settings.program} does not accept connections on port ${this.port}:\n${this.#output.slice(-2_000)}`,
    );
  }
}

/** Whether every thread of the process stands still. */
const isStopped = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  });

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const done = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
