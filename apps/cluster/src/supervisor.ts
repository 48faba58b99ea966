import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@parley/persistence';
import { type Logger } from 'pino';
import { ServiceProcess } from './service-process.js';
import { type Service } from './topology.js';

/** A process of the cluster as others see it. */
export interface ProcessView {
  service: string;
  /** Counts from 1 within its app. */
  number: number;
  pid: number | undefined;
  /** Where it is ready, and for a gateway also where its API is. */
  url: string;
  readyUrl: string;
}

interface Place {
  service: Service;
  number: number;
  port: number;
  process: ServiceProcess;
  isWanted: boolean;
}

/** How a supervisor starts processes. */
export interface Supervision {
  /** Of logs and of `processes.json`. */
  folder: string;
  /** What a process of that app is told beside its port. */
  environment: (service: Service) => Record<string, string>;
  logger: Logger;
}

/** How soon a process that ended is started again, in milliseconds. */
const RESTART_MS = 200;

/**
 * Keeps the processes of the apps running: one that ends is started again, on the same port. Who they are stands in
 * `processes.json`.
 */
export class Supervisor {
  readonly #places: Place[] = [];
  #writing = Promise.resolve();
  #isStopping = false;

  constructor(private readonly supervision: Supervision) {}

  /** Starts one more process of an app. @param port that of the first process; absent: any free one. */
  async add(
    service: Service,
    given: { port?: number; environment?: Record<string, string> } = {},
  ): Promise<ProcessView> {
    const number = Math.max(0, ...this.#of(service.name).map((place) => place.number)) + 1;
    const port = given.port || (await freePort());
    const place = { service, number, port, isWanted: true };
    const process = this.#start(place, given.environment);
    const placed = { ...place, process };
    this.#places.push(placed);
    void this.#keep(placed);
    this.#publish();
    return viewOf(placed);
  }

  /** Has exactly so many processes of an app: starts more, or stops the last ones. */
  async scale(service: Service, count: number): Promise<void> {
    const places = this.#of(service.name);
    const surplus = places.slice(count);
    await Promise.all(surplus.map((place) => this.#stop(place)));
    for (let running = places.length; running < count; running += 1) await this.add(service);
  }

  /** The processes that are to run now. */
  get processes(): ProcessView[] {
    return this.#places.map(viewOf);
  }

  /** Stops all of them, those that depend on others first. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const place of [...this.#places].reverse()) await this.#stop(place);
    await this.#writing;
  }

  #of(name: string): Place[] {
    return this.#places.filter((place) => place.service.name === name);
  }

  #start({ service, number, port }: Omit<Place, 'process'>, more: Record<string, string> = {}): ServiceProcess {
    const { folder, environment } = this.supervision;
    return new ServiceProcess({
      main: fileURLToPath(new URL(`../../${service.name}/dist/main.js`, import.meta.url)),
      environment: { ...environment(service), [service.portVariable]: String(port), ...more },
      logFile: join(folder, `${service.name}-${number}.log`),
    });
  }

  async #keep(place: Place): Promise<void> {
    for (;;) {
      await place.process.exited;
      if (!place.isWanted || this.#isStopping) return;
      this.supervision.logger.warn({ service: place.service.name, number: place.number }, 'ended: it is started again');
      await sleep(RESTART_MS);
      if (!place.isWanted || this.#isStopping) return;
      place.process = this.#start(place);
      this.#publish();
    }
  }

  async #stop(place: Place): Promise<void> {
    place.isWanted = false;
    await place.process.stop();
    this.#places.splice(this.#places.indexOf(place), 1);
    this.#publish();
  }

  /** Written aside and moved into place: whoever reads it never reads half of it. */
  #publish(): void {
    const file = join(this.supervision.folder, 'processes.json');
    const text = JSON.stringify(this.processes, undefined, 2);
    this.#writing = this.#writing
      .then(() => writeFile(`${file}.draft`, text))
      .then(() => rename(`${file}.draft`, file))
      .catch((error: unknown) => this.supervision.logger.warn({ err: error }, 'processes.json could not be written'));
  }
}

const viewOf = ({ service, number, port, process }: Place): ProcessView => {
  const url = `http://127.0.0.1:${port}`;
  return { service: service.name, number, pid: process.pid, url, readyUrl: `${url}${service.readyPath}` };
};
