import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { VectaraClient } from '../client/vectara-client.js';
import { plainEnvironment, repository } from '../config.js';
import { DataFolder } from '../product/data-folder.js';
import { lastWill } from '../product/last-will.js';
import { until } from '../product/until.js';

/** An app of the cluster, or a server beside them. */
export type ClusterPart =
  'gateway' | 'agent-registry' | 'session' | 'run-executor' | 'model-simulator' | 'nats' | 'redis';

/** One process of it. */
export interface ClusterPlace {
  service: ClusterPart;
  number: number;
  pid: number;
  /** Of an app: where it listens. */
  url: string;
}

/** Eight processes start at once, on machines that have two cores. */
const START_MS = 150_000;

/**
 * The product as `npm run dev:cluster` runs it: every app a process of its own, with its own Postgres, NATS and Redis,
 * which are all ended with this process. Processes are killed by their pid, and the launcher starts them again.
 */
export class Cluster {
  readonly folder = new DataFolder();
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #answers: ((line: string) => void)[] = [];
  readonly #greeted: Promise<{ url: string; key: string }>;
  #greeting = { url: '', key: '' };

  private constructor(env: Readonly<Record<string, string>>) {
    const variables = { ...plainEnvironment, PARLEY_DATA_DIR: this.folder.path, PORT: '0', LOG_LEVEL: 'info', ...env };
    this.#child = spawn(process.execPath, ['--enable-source-maps', 'apps/cluster/dist/main.js'], {
      cwd: repository,
      env: variables,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const takeBackWill = lastWill('kill -9 "$subject"', String(this.#child.pid));
    void once(this.#child, 'exit').then(takeBackWill);
    this.#greeted = this.#read();
    this.#greeted.catch(() => {});
  }

  /** Starts it; resolves when every app is ready. @param env settings of the apps and of the launcher. */
  static async start(env: Readonly<Record<string, string>> = {}): Promise<Cluster> {
    const cluster = new Cluster(env);
    const late = sleep(START_MS, undefined, { ref: false }).then(() =>
      Promise.reject(new Error(`the cluster does not start:\n${cluster.output}`)),
    );
    try {
      cluster.#greeting = await Promise.race([cluster.#greeted, late]);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get key(): string {
    return this.#greeting.key;
  }

  /** A client of the first gateway, or of another one. */
  client(url = this.#greeting.url): VectaraClient {
    return new VectaraClient(url, this.key);
  }

  /** The processes that run now; of one part only where it is named. */
  async places(part?: ClusterPart): Promise<ClusterPlace[]> {
    const places = JSON.parse(await this.command('ps')) as ClusterPlace[];
    return places.filter(({ service }) => part === undefined || service === part);
  }

  /** Signals a process of a part: all of them, or the one at that place. @returns how many there were. */
  async signal(part: ClusterPart, signal: NodeJS.Signals, at?: number): Promise<number> {
    const places = await this.places(part);
    const meant = at === undefined ? places : places.slice(at, at + 1);
    for (const { pid } of meant) signalled(pid, signal);
    return meant.length;
  }

  /** Signals the database server itself; the launcher starts it again where it ends. */
  async signalPostgres(signal: NodeJS.Signals): Promise<void> {
    const file = join(this.folder.path, 'cluster', 'postgres', 'data', 'postmaster.pid');
    // While it is being started again the file is not there, or does not say yet that it is ready.
    const lines = await until('Postgres runs', () => (existsSync(file) ? readyLines(file) : undefined), 60_000);
    signalled(Number(lines[0]), signal);
  }

  /** Has the launcher do something; @returns what it says. @throws Error with its reason where it does not. */
  async command(line: string): Promise<string> {
    const answered = new Promise<string>((resolve) => this.#answers.push(resolve));
    this.#child.stdin?.write(`${line}\n`);
    const answer = await answered;
    if (answer.startsWith('ok')) return answer.slice(3);
    throw new Error(`${line}: ${answer}`);
  }

  /** All log lines of an app's processes, or of all. */
  logs(part = ''): string[] {
    const folder = join(this.folder.path, 'cluster', 'logs');
    return readdirSync(folder)
      .filter((name) => name.endsWith('.log') && name.startsWith(part))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean));
  }

  /** What the launcher has printed. */
  get output(): string {
    return this.#lines.join('\n');
  }

  /** Stops it in order and removes all that it kept. */
  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await gone;
    }
    this.folder.remove();
  }

  #read(): Promise<{ url: string; key: string }> {
    const { stdout, stderr } = this.#child;
    if (!stdout || !stderr) throw new Error('the process has no output');
    createInterface({ input: stderr }).on('line', (line) => this.#lines.push(line));
    return new Promise((resolve, reject) => {
      createInterface({ input: stdout }).on('line', (line) => {
        this.#lines.push(line);
        if (/^(ok|error)\b/.test(line)) this.#answers.shift()?.(line);
        const [, url, key] = /curl -N (http:\/\/[^/]+)\/.*x-api-key: ([^']+)'/.exec(line) ?? [];
        if (url !== undefined && key !== undefined) resolve({ url, key });
      });
      void once(this.#child, 'exit').then(() => reject(new Error(`the launcher ended:\n${this.output}`)));
    });
  }
}

const readyLines = (file: string): string[] | undefined => {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines[7]?.startsWith('ready') ? lines : undefined;
};

const signalled = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // It is being started again.
  }
};

/** A claim of an executor, as its log tells at level `debug`. */
export interface Claim {
  /** How many runs it got. */
  runs: number;
  /** How many permits had asked for it; 0: it looked by itself. */
  permits: number;
}

/** The claims that log lines tell of, in their order. */
export const claimsIn = (lines: readonly string[]): Claim[] =>
  lines.filter((line) => line.includes('"msg":"claimed"')).map((line) => JSON.parse(line) as Claim);
