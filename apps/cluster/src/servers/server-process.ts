import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that the launcher has started. */
export interface StartedServer {
  /** `<host>:<port>`. */
  address: string;
  stop(): Promise<void>;
}

const START_MS = 10_000;
const POLL_MS = 20;

/** Ends the program when our end of its standard input closes: also when this process is killed. */
const WITH_US = 'exec 3<&0; "$@" & pid=$!; { cat <&3 >/dev/null; kill "$pid" 2>/dev/null; } & wait "$pid"';

/** Starts a server's program on that port of this machine; resolves when it accepts connections. */
export const startServerProcess = async (command: readonly string[], port: number): Promise<StartedServer> => {
  const child = spawn('sh', ['-c', WITH_US, 'server', ...command], { stdio: ['pipe', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints = `${complaints}${String(chunk)}`.slice(-2_000)));
  const deadline = performance.now() + START_MS;
  while (!(await accepts(port))) {
    if (hasEnded(child) || performance.now() > deadline) {
      throw new Error(`${command[0]} does not start: is it installed?\n${complaints}`);
    }
    await sleep(POLL_MS);
  }
  const stop = async (): Promise<void> => {
    if (hasEnded(child)) return;
    const gone = once(child, 'exit');
    child.stdin.end();
    await gone;
  };
  return { address: `127.0.0.1:${port}`, stop };
};

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
