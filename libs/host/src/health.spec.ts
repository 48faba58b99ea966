import { Health } from './health.js';
import { createLogger } from './logging/create-logger.js';

const quiet = () => {
  const lines: string[] = [];
  return {
    lines,
    logger: createLogger({ app: 'probe', level: 'info', to: { write: (line) => void lines.push(line) } }),
  };
};

describe('readiness', () => {
  it('names each check and is ready only when all are up', async () => {
    const health = new Health(quiet().logger);
    let away = true;
    health.watch('postgres', async () => {
      if (away) throw new Error('refused');
    });
    health.watch('nats', async () => undefined);
    expect(await health.ready()).toMatchObject({
      ready: false,
      checks: [
        { name: 'postgres', up: false },
        { name: 'nats', up: true },
      ],
    });
    away = false;
    expect((await health.ready()).ready).toBe(true);
  });

  it('counts a check that does not answer as away', async () => {
    const health = new Health(quiet().logger);
    health.watch('postgres', () => new Promise(() => undefined));
    const started = performance.now();
    expect((await health.ready()).ready).toBe(false);
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  it('logs the reason once for each change and does not tell it', async () => {
    const { logger, lines } = quiet();
    const health = new Health(logger);
    let away = false;
    health.watch('postgres', async () => {
      if (away) throw new Error('connect refused at 10.0.0.7');
    });
    await health.ready();
    away = true;
    const answers = [await health.ready(), await health.ready()];
    expect(JSON.stringify(answers)).not.toContain('10.0.0.7');
    expect(lines.filter((line) => line.includes('10.0.0.7'))).toHaveLength(1);
  });

  it('asks once for those who ask at the same moment', async () => {
    const health = new Health(quiet().logger);
    let asked = 0;
    health.watch('postgres', async () => void asked++);
    await Promise.all([health.ready(), health.ready(), health.ready()]);
    expect(asked).toBe(1);
  });

  it('is not ready any more once the process drains', async () => {
    const health = new Health(quiet().logger);
    health.watch('postgres', async () => undefined);
    health.drain();
    expect((await health.ready()).ready).toBe(false);
  });
});
