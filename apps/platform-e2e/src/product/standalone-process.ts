import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { plainEnvironment, repository } from '../config.js';
import { lastWill } from './last-will.js';

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** What a start has printed by the time it listens. */
export interface Greeting {
  /** Where it listens, e.g. `http://127.0.0.1:8283`. */
  url: string;
  /** The line that it offers to paste. */
  curl: string;
  /** The key in that line; null where it names none. */
  key: string | null;
  /** From the start of the process to this, in milliseconds. */
  afterMs: number;
}

/** How a process is started. */
export interface StandaloneOptions {
  dataFolder: string;
  /** 0: any free one. */
  port?: number;
  /** Further variables; what is not named here or in `plainEnvironment` is not set. */
  env?: Readonly<Record<string, string>>;
  /** Another copy of the workspace than the one that this file is in. */
  root?: string;
  /** What is run there; the built app itself when absent. */
  command?: readonly string[];
}

const BUILT_APP = [process.execPath, '--enable-source-maps', 'apps/standalone/dist/main.js'];

/** The product as users run it, in a process group of its own, watched through what it prints. */
export class StandaloneProcess {
  /** Lines of standard output, which people read. */
  readonly lines: string[] = [];
  /** Lines of standard error: the log. */
  readonly log: string[] = [];
  readonly startedAt = performance.now();
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #greeting: Promise<Greeting>;

  constructor({ dataFolder, port = 0, env = {}, root = repository, command = BUILT_APP }: StandaloneOptions) {
    const [program = '', ...args] = command;
    const variables = { ...plainEnvironment, PARLEY_DATA_DIR: dataFolder, PORT: String(port), ...env };
    this.#child = spawn(program, args, {
      cwd: root,
      env: variables,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const takeBackWill = lastWill('kill -9 "-$subject"', String(this.pid));
    void once(this.#child, 'exit').then(takeBackWill);
    this.exited = new Promise((resolve) => this.#child.once('close', (code, signal) => resolve({ code, signal })));
    this.#greeting = this.#read();
    this.#greeting.catch(() => {});
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the process could not be started');
    return this.#child.pid;
  }

  /** Rejects, with all that was printed, when the process ends before it listens. */
  listening(): Promise<Greeting> {
    return this.#greeting;
  }

  /** Sends a signal to the process alone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit> {
    this.#child.kill(signal);
    return this.exited;
  }

  /** Sends SIGINT to the process and all its children that are in its group, as a terminal does. */
  pressCtrlC(): void {
    process.kill(-this.pid, 'SIGINT');
  }

  /** All that was printed, for messages of failures. */
  get output(): string {
    return [...this.lines, ...this.log].join('\n');
  }

  #read(): Promise<Greeting> {
    const { stdout, stderr } = this.#child;
    if (!stdout || !stderr) throw new Error('the process has no output');
    createInterface({ input: stderr }).on('line', (line) => this.log.push(line));
    return new Promise((resolve, reject) => {
      createInterface({ input: stdout }).on('line', (line) => {
        this.lines.push(line);
        const greeting = this.#greetingAt(line);
        if (greeting) resolve(greeting);
      });
      void this.exited.then(({ code, signal }) =>
        reject(new Error(`it ended (${code ?? signal}) before it listened:\n${this.output}`)),
      );
    });
  }

  /** What was said, when this line is the one to paste: it comes last of what a program needs to know. */
  #greetingAt(line: string): Greeting | undefined {
    const curl = line.trim();
    const url = this.lines.map((one) => /^Parley listens on (\S+)$/.exec(one)?.[1]).find(Boolean);
    if (url === undefined || !curl.startsWith('curl ')) return undefined;
    const key = /x-api-key: ([^']+)'/.exec(curl)?.[1] ?? null;
    return { url, curl, key, afterMs: performance.now() - this.startedAt };
  }
}
