import { setTimeout as sleep } from 'node:timers/promises';
import { VectaraClient } from '../client/vectara-client.js';
import { type DataFolder } from './data-folder.js';
import { freePort } from './free-port.js';
import { type Greeting, StandaloneProcess } from './standalone-process.js';

/** A product whose processes are killed while clients talk to it. */
export interface KilledProduct {
  /** A client of it, as soon as one can be had. */
  client(): Promise<VectaraClient>;
  /** How often something of it was killed; counted just before, so that a client whose request fails can tell why. */
  readonly kills: number;
  /** Whether a failure of now can come of a kill; `kills` is the number when the request was sent. */
  excuses(kills: number): boolean;
  /** When what runs now was seen to listen, by `performance.now()`. */
  readonly listensSince: number;
}

/** A product that is killed and started again, always at the same address. */
export class RestartedProduct implements KilledProduct {
  kills = 0;
  listensSince = Infinity;
  #process: StandaloneProcess | undefined;
  #up: Promise<Greeting> = Promise.reject(new Error('not started'));
  #port: Promise<number> | undefined;

  constructor(
    private readonly folder: DataFolder,
    private readonly env: Readonly<Record<string, string>> = {},
  ) {
    this.#up.catch(() => {});
  }

  /** Starts it; @returns what it says when it listens. */
  async start(): Promise<Greeting> {
    this.#up = this.#start();
    this.#up.catch(() => {});
    return this.#up;
  }

  excuses(kills: number): boolean {
    return kills !== this.kills;
  }

  /** A client of the process that runs, as soon as one listens. */
  async client(): Promise<VectaraClient> {
    for (let up = this.#up; ; up = this.#up) {
      const { url, key } = await up;
      if (up === this.#up) return new VectaraClient(url, key);
    }
  }

  /** Kills it, and starts it again after so many milliseconds. */
  async killAndStart(pauseMs: number): Promise<Greeting> {
    const killed = this.#process;
    this.kills += 1;
    this.listensSince = Infinity;
    this.#up = (async () => {
      await killed?.kill('SIGKILL');
      await sleep(pauseMs);
      return this.#start();
    })();
    this.#up.catch(() => {});
    return this.#up;
  }

  async stop(): Promise<void> {
    await this.#process?.kill('SIGTERM');
  }

  /** What the present process has printed. */
  get output(): string {
    return this.#process?.output ?? '';
  }

  async #start(): Promise<Greeting> {
    this.#port ??= freePort();
    this.#process = new StandaloneProcess({ dataFolder: this.folder.path, port: await this.#port, env: this.env });
    const greeting = await this.#process.listening();
    this.listensSince = performance.now();
    return greeting;
  }
}
