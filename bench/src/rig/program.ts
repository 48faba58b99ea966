import { fork, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';

/** How a program is started. */
export interface ProgramOptions {
  script: string;
  /** Where its output goes, as `<name>.log`. */
  folder: string;
  name: string;
  environment?: Record<string, string>;
  /** Flags of node. */
  flags?: string[];
}

/** How long a program may take to end when it is asked to, in milliseconds. */
const END_MS = 15_000;

/** A node process that we started. It gets nothing of our environment but the path. */
export class Program {
  readonly #said = new EventEmitter();
  #output = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly name: string,
  ) {}

  static start({ script, folder, name, environment = {}, flags = [] }: ProgramOptions): Program {
    const child = fork(script, {
      execArgv: flags,
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    const program = new Program(child, name);
    const log = createWriteStream(join(folder, `${name}.log`));
    for (const output of [child.stdout, child.stderr]) {
      output?.on('data', (text: Buffer) => program.#hear(text.toString()));
      output?.pipe(log);
    }
    return program;
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`${this.name} did not start`);
    return this.child.pid;
  }

  /** What the pattern finds in the last of what the program has said, once it says it. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#output);
      if (found) return found;
      await this.#next(this.#said, 'more');
    }
  }

  /** The answer of a program that serves its parent (`answerParent`); one question at a time. */
  async ask<Answer>(question: object): Promise<Answer> {
    this.child.send(question);
    const answer = await this.#next<Answered<Answer>>(this.child, 'message');
    if ('error' in answer) throw new Error(`${this.name}: ${answer.error}`);
    return answer.result;
  }

  /** Asks the program to end, waits until it has, and makes it after 15 s. */
  async stop(): Promise<void> {
    if (this.#isOver) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const patience = setTimeout(() => this.child.kill('SIGKILL'), END_MS);
    await gone;
    clearTimeout(patience);
  }

  /** `kill -9` */
  async kill(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  /** What the next event of that name brings; rejects when the program ends before. */
  #next<T>(emitter: EventEmitter, event: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const listen = (value: T): void => {
        this.child.off('exit', leave);
        resolve(value);
      };
      const leave = (): void => {
        emitter.off(event, listen);
        reject(new Error(`${this.name} has ended:\n${this.#output}`));
      };
      emitter.once(event, listen);
      this.child.once('exit', leave);
      if (this.#isOver) leave();
    });
  }

  #hear(text: string): void {
    this.#output = (this.#output + text).slice(-4_000);
    this.#said.emit('more');
  }

  get #isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}

type Answered<Answer> = { result: Answer } | { error: string };
