import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../config.js';
import { DataFolder } from '../product/data-folder.js';
import { databaseElsewhere, removeDatabaseElsewhere } from '../product/database-elsewhere.js';
import { processesNaming } from '../product/running-processes.js';
import { type Greeting, StandaloneProcess } from '../product/standalone-process.js';
import { until } from '../product/until.js';

const run = promisify(execFile);

/** What a newcomer does with a clone, and in what kind of folder. */
export interface Visit {
  name: string;
  /** Of the folder around the clone. */
  mode: number;
  /** Runs before the first start. */
  before?: readonly string[];
}

/** Tells one line. */
export type Say = (line: string) => unknown;

/**
 * Somebody who has heard of Parley: clones it (what is committed), starts it twice with `npm start`, pastes the line,
 * presses Ctrl-C. Rejects, with what was printed, when anything goes wrong.
 */
export class Newcomer {
  readonly #home: DataFolder;
  readonly #clone: string;
  #elsewhere: string | undefined;

  constructor(
    private readonly visit: Visit,
    private readonly say: Say,
  ) {
    this.#home = new DataFolder(visit.mode);
    this.#clone = join(this.#home.path, 'parley');
  }

  async come(): Promise<void> {
    this.say(this.visit.name);
    try {
      await run('git', ['clone', '--quiet', '--no-hardlinks', repository, this.#clone]);
      const [program, ...args] = this.visit.before ?? [];
      if (program !== undefined) await run(program, args, { cwd: this.#clone, maxBuffer: 2 ** 26 });
      await this.#start('first');
      const again = await this.#start('second');
      if (again > 5_000) throw new Error('the second start took more than 5 s');
    } finally {
      this.#home.remove();
      removeDatabaseElsewhere(this.#elsewhere);
    }
  }

  /** @returns how long it took until the line was there, in milliseconds. */
  async #start(which: string): Promise<number> {
    const dataFolder = join(this.#clone, '.parley');
    const parley = new StandaloneProcess({ root: this.#clone, dataFolder, command: ['npm', 'start'] });
    try {
      const greeting = await parley.listening();
      this.say(`  ${which} npm start: ${(greeting.afterMs / 1000).toFixed(1)} s`);
      await this.#paste(greeting);
      this.#elsewhere ??= this.#told(databaseElsewhere(parley.output));
      parley.pressCtrlC();
      const { code, signal } = await parley.exited;
      this.say(`  Ctrl-C: ended with ${code ?? signal}`);
      if (code !== 0) throw new Error(parley.output);
      const places = [this.#home.path, this.#elsewhere ?? this.#home.path];
      await until('every process is gone', () => places.flatMap(processesNaming).length === 0, 2_000);
      return greeting.afterMs;
    } finally {
      await parley.kill();
    }
  }

  async #paste({ curl }: Greeting): Promise<void> {
    const { stdout } = await run('bash', ['-c', curl]);
    const types = [...stdout.matchAll(/^data: \{.*?"type":"(\w+)"/gm)].map(([, type]) => type);
    if (types[0] !== 'input_message' || types.at(-1) !== 'end') throw new Error(`the line did not work:\n${stdout}`);
    this.say(`  the line, pasted: ${types.length} events`);
  }

  #told(elsewhere: string | undefined): string | undefined {
    if (elsewhere !== undefined) this.say(`  its database is in ${elsewhere}`);
    return elsewhere;
  }
}
