import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type IsolatedProgram } from './isolated-program.js';
import { type ToChild, type ToParent } from './messages.js';

/** The descriptor of the pipe by which a child sees its parent die. */
export const LIFELINE = 4;
/** What one run may keep in memory, in MiB; an executor's own share of it is far below. */
const MEMORY_MB = 512;
/** How much is kept of what it says beside its log, in UTF-16 units. */
const MAX_WORDS = 2_000;

/** A child process that acts one run. */
export class IsolatedProcess {
  readonly #child: ChildProcess;
  /** How it ended, once everything that it said was heard. Never rejects. */
  readonly ended: Promise<string>;
  #lastWords = '';

  constructor({ entry, flags = [] }: IsolatedProgram, hear: (message: ToParent) => void) {
    this.#child = fork(fileURLToPath(entry), {
      execArgv: [...process.execArgv, ...flags, `--max-old-space-size=${MEMORY_MB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
    });
    this.#child.on('message', hear);
    if (this.#child.stderr) createInterface({ input: this.#child.stderr }).on('line', (line) => this.#hearLine(line));
    this.ended = Promise.all([once(this.#child, 'exit'), once(this.#child, 'disconnect')]).then(
      ([[code, signal]]) => (signal === null ? `ended with code ${String(code)}` : `was killed by ${String(signal)}`),
      (error: unknown) => `could not be started: ${String(error)}`,
    );
  }

  /** What it said last that was no line of the log: Node's own words about its end. */
  get lastWords(): string {
    return this.#lastWords;
  }

  /** What comes too late is not missed. */
  send(message: ToChild): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Its log is part of ours. */
  #hearLine(line: string): void {
    if (line.startsWith('{')) process.stderr.write(`${line}\n`);
    else this.#lastWords = `${this.#lastWords}${line}\n`.slice(-MAX_WORDS);
  }
}
