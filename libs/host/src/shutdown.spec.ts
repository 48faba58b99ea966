import { EventEmitter } from 'node:events';
import { createLogger } from './logging/create-logger.js';
import { Shutdown } from './shutdown.js';

class ProbeProcess extends EventEmitter {
  readonly ended: Promise<number>;
  readonly codes: number[] = [];
  #end: (code: number) => void = () => undefined;

  constructor() {
    super();
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  exit(code: number): void {
    this.codes.push(code);
    this.#end(code);
  }
}

const open = (boundMs?: number, clock = { ms: 0 }) => {
  const process = new ProbeProcess();
  const lines: string[] = [];
  const logger = createLogger({ app: 'probe', level: 'info', to: { write: (line) => void lines.push(line) } });
  return { process, lines, shutdown: new Shutdown(logger, process, boundMs, () => clock.ms) };
};

describe('a shutdown', () => {
  it('closes what was opened last first, one after the other, and ends with 0', async () => {
    const { process, shutdown } = open();
    const closed: string[] = [];
    for (const name of ['postgres', 'bus', 'http']) {
      shutdown.add(name, async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        closed.push(name);
      });
    }
    process.emit('SIGTERM');
    expect(await process.ended).toBe(0);
    expect(closed).toEqual(['http', 'bus', 'postgres']);
  });

  it('tells whoever is still opening things, and closes what they have opened meanwhile', async () => {
    const { process, shutdown } = open();
    const closed: string[] = [];
    const started = new Promise<void>((resolve) => shutdown.signal.addEventListener('abort', () => resolve()));
    shutdown.add('start', async () => {
      await started;
      shutdown.add('postgres', async () => closed.push('postgres'));
    });
    process.emit('SIGINT');
    expect(await process.ended).toBe(0);
    expect(closed).toEqual(['postgres']);
  });

  it('goes on past what fails to close, and ends with 1', async () => {
    const { process, shutdown, lines } = open();
    const closed: string[] = [];
    shutdown.add('postgres', async () => closed.push('postgres'));
    shutdown.add('http', async () => {
      throw new Error('still busy');
    });
    process.emit('SIGINT');
    expect(await process.ended).toBe(1);
    expect(closed).toEqual(['postgres']);
    expect(lines.join('')).toContain('still busy');
  });

  it('ends at the bound when something never closes', async () => {
    const { process, shutdown } = open(20);
    shutdown.add('http', () => new Promise(() => undefined));
    process.emit('SIGTERM');
    expect(await process.ended).toBe(1);
  });

  it('ends at once at the second signal, but not at the echo of the first', async () => {
    const clock = { ms: 0 };
    const { process, shutdown } = open(50, clock);
    shutdown.add('http', () => new Promise(() => undefined));
    process.emit('SIGINT');
    clock.ms = 300;
    process.emit('SIGINT');
    expect(process.codes).toEqual([]);
    clock.ms = 1_300;
    process.emit('SIGINT');
    expect(process.codes).toEqual([1]);
  });

  it.each(['unhandledRejection', 'uncaughtException'])('logs an %s and ends with 1', async (event) => {
    const { process, lines } = open();
    process.emit(event, new Error('nobody caught this'));
    expect(await process.ended).toBe(1);
    expect(lines.join('')).toContain('nobody caught this');
  });
});
