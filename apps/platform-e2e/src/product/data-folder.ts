import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastWill } from './last-will.js';
import { processesNaming, type RunningProcess } from './running-processes.js';

/** A folder for the data of one Parley, empty at first, with a name that no other process has in its command line. */
export class DataFolder {
  readonly path: string;
  readonly #takeBackWill: () => void;

  /** @param mode of the folder around it: 0o700 shuts out the user that the database runs as when we are root. */
  constructor(mode = 0o755) {
    this.path = mkdtempSync(join(tmpdir(), 'parley-e2e-'));
    chmodSync(this.path, mode);
    // By then the database's watcher has seen that its Parley is dead.
    this.#takeBackWill = lastWill('sleep 15; rm -rf -- "$subject"', this.path);
  }

  /** What runs with this folder: Parley's own process where its command line says so, the database, its watcher. */
  processes(): RunningProcess[] {
    return processesNaming(this.path);
  }

  /** Ends what is left of it, there and then, and deletes it. */
  remove(): void {
    for (const { pid } of this.processes()) kill(pid);
    rmSync(this.path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    this.#takeBackWill();
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has gone by itself meanwhile.
  }
}
