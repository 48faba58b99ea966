import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program, type ProgramOptions } from './program.js';

/** How Parley is run: in one process, or each service in one of its own, with NATS and Redis. */
export type Form = 'standalone' | 'cluster';

/** All that a benchmark starts and writes: a folder of its own, and what has to be ended before that is removed. */
export class Rig {
  #folders = 0;
  readonly #ends: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly folder: string,
    readonly form: Form,
  ) {}

  static async open(form: Form = 'standalone'): Promise<Rig> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
    await chmod(folder, 0o755); // the database's user must reach what is below
    return new Rig(folder, form);
  }

  /** Where to make a folder that does not exist yet. */
  freshFolder(name: string): string {
    return join(this.folder, `${name}-${++this.#folders}`);
  }

  start(options: Omit<ProgramOptions, 'folder'>): Program {
    const program = Program.start({ ...options, folder: this.folder });
    this.owns(() => program.stop());
    return program;
  }

  /** Something was started: `end` ends it. */
  owns(end: () => Promise<unknown>): void {
    this.#ends.push(end);
  }

  /** Ends what was started since, last first. */
  async clear(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }

  async close(): Promise<void> {
    await this.clear();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
