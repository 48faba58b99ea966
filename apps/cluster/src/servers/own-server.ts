import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 10_000;
const POLL_MS = 20;

/** Ends the program when our end of its standard input closes: also when this process is killed. Says its pid first. */
const WITH_US =
  'exec 3<&0; "$@" >/dev/null & pid=$!; echo "$pid"; { cat <&3 >/dev/null; kill "$pid" 2>/dev/null; } & wait "$pid"';

/** A server that the launcher runs on a port of this machine. It can be taken down, and comes back under its address. */
export class OwnServer {
  #child: ChildProcess | undefined;
  #pid: number | undefined;

  constructor(
    readonly name: string,
    private readonly command: readonly string[],
    private readonly port: number,
  ) {}

  /** `<host>:<port>`. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Of the program itself; undefined while it is down. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const child = spawn('sh', ['-c', WITH_US, this.name, ...this.command], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    let complaints = '';
    child.stderr.on('data', (chunk: Buffer) => (complaints = `${complaints}${String(chunk)}`.slice(-2_000)));
    createInterface({ input: child.stdout }).once('line', (line) => (this.#pid = Number(line)));
    const deadline = performance.now() + START_MS;
    while (!(await accepts(this.port))) {
      if (hasEnded(child) || performance.now() > deadline) {
        throw new Error(`${this.command[0]} does not start: is it installed?\n${complaints}`);
      }
      await sleep(POLL_MS);
    }
  }

  /** Ends it in order. */
  async stop(): Promise<void> {
    await this.#end((child) => child.stdin?.end());
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    await this.#end(() => this.#pid !== undefined && process.kill(this.#pid, 'SIGKILL'));
  }

  async #end(act: (child: ChildProcess) => unknown): Promise<void> {
    const child = this.#child;
    if (!child || hasEnded(child)) return;
    const gone = once(child, 'exit');
    act(child);
    await gone;
    this.#pid = undefined;
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

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
