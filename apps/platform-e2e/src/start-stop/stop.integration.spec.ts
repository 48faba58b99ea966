import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { VectaraClient } from '../client/vectara-client.js';
import { judge } from '../kills/verdict.js';
import { StubModel } from '../model/stub-model.js';
import { DataFolder } from '../product/data-folder.js';
import { type Exit, StandaloneProcess } from '../product/standalone-process.js';
import { until } from '../product/until.js';

const CLEAN: Exit = { code: 0, signal: null };

describe('a Parley that is stopped', () => {
  let folder: DataFolder;
  const started: StandaloneProcess[] = [];

  const start = (env: Record<string, string> = {}, port = 0): StandaloneProcess => {
    const parley = new StandaloneProcess({ dataFolder: folder.path, env, port });
    started.push(parley);
    return parley;
  };
  /** Nothing of the product runs any more, neither in its own group nor beside it. */
  const nothingRuns = async (withinMs = 2_000): Promise<void> => {
    await until('every process is gone', () => folder.processes().length === 0, withinMs);
  };

  beforeAll(() => {
    folder = new DataFolder();
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((parley) => parley.kill()));
  });
  afterAll(() => folder.remove());

  it('amid its first start, at whatever step, ends with code 0, leaves nothing, and can be started again', async () => {
    for (const step of ['creating the database', 'starting the database', 'applying migration']) {
      const parley = start();
      await until(`it is ${step}`, () => parley.lines.some((line) => line.includes(step)));
      parley.pressCtrlC();
      expect({ step, ...(await parley.exited) }).toEqual({ step, ...CLEAN });
      expect(parley.output).not.toMatch(/cannot start|listens/);
      await nothingRuns();
    }
    await start().listening();
  }, 60_000);

  it.each([
    ['one Ctrl-C', [0]],
    ['two within 300 ms, as npm makes of one', [0, 200]],
    ['a burst of them', [0, 20, 40]],
  ])('by %s ends with code 0, and leaves no process', async (_what, delays) => {
    const parley = start();
    await parley.listening();
    const pressedAt = performance.now();
    for (const delay of delays) {
      await sleep(Math.max(0, pressedAt + delay - performance.now()));
      if (folder.processes().length > 0) parley.pressCtrlC();
    }
    expect(await parley.exited).toEqual(CLEAN);
    await nothingRuns();
  });

  it('by SIGTERM ends with code 0, and leaves no process', async () => {
    const parley = start();
    await parley.listening();
    expect(await parley.kill('SIGTERM')).toEqual(CLEAN);
    await nothingRuns();
  });

  it('by kill -9 can be started at once, and leaves nothing when it is not', async () => {
    for (let n = 0; n < 2; n += 1) {
      const parley = start();
      await parley.listening();
      await parley.kill();
    }
    await nothingRuns(15_000);
  }, 60_000);

  it('amid a turn goes on with it at the next start', async () => {
    const model = new StubModel();
    const env = { OPENAI_BASE_URL: await model.listen(), OPENAI_API_KEY: 'sk-odd', PARLEY_SHUTDOWN_GRACE_MS: '200' };
    const parley = start(env);
    const greeting = await parley.listening();
    const session = { agent: 'hello', session: 'hello' };
    model.hold = (_words, at) => at === 'text';
    const stream = await new VectaraClient(greeting.url, greeting.key).say(session, 'stop amid this');
    const before = await stream.upTo('streaming_agent_output');
    expect(await parley.kill('SIGTERM')).toEqual(CLEAN);
    await expect(stream.all()).rejects.toThrow();
    await nothingRuns();
    model.letGo();

    const next = await start(env).listening();
    const client = new VectaraClient(next.url, next.key);
    const after = await (await client.listen(session, before.at(-1)?.id ?? '')).all();
    const [listed, replay] = [await client.events(session), await (await client.listen(session)).all()];
    const views = [{ name: 'the client', received: [...before, ...after] }];
    const said = ['stop amid this'];
    expect(judge({ session, listed, replay, said, views, told: [] })).toEqual({ lost: [], doubled: [], faults: [] });
    expect(after[0]?.event.type).toBe('streaming_restarted');
    await model.close();
  }, 60_000);

  it('says once, clearly, that its port is taken, and leaves nothing', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    const port = await until('it listens', () => {
      const address = other.address();
      return typeof address === 'object' && address?.port;
    });
    const parley = start({}, port);
    expect(await parley.exited).toEqual({ code: 1, signal: null });
    expect(parley.lines.filter((line) => line.includes(String(port)))).toHaveLength(1);
    expect(parley.lines.at(-1)).toContain(`port ${port} of 127.0.0.1 is taken`);
    await nothingRuns();
    other.close();
  });

  it('says once, clearly, that another uses its folder, and leaves that one alone', async () => {
    const [first, second] = [start(), start()];
    const [winner, loser] = await Promise.race([
      first.listening().then(() => [first, second] as const),
      second.listening().then(() => [second, first] as const),
    ]);
    expect(await loser.exited).toEqual({ code: 1, signal: null });
    expect(loser.lines.at(-1)).toContain(`(pid ${winner.pid}) already uses this`);
    const { url } = await winner.listening();
    expect((await new VectaraClient(url, null).send({ path: '/health/ready' })).status).toBe(200);
    expect(await winner.kill('SIGTERM')).toEqual(CLEAN);
    await nothingRuns();
  }, 60_000);

  it('while it waits for another that uses its folder ends at once, and leaves that one alone', async () => {
    const first = start();
    await first.listening();
    const second = start();
    await until('it waits', () => second.lines.some((line) => line.includes('waiting for Parley')));
    const pressedAt = performance.now();
    second.pressCtrlC();
    expect(await second.exited).toEqual(CLEAN);
    expect(performance.now() - pressedAt).toBeLessThan(2_000);
    expect(await first.kill('SIGTERM')).toEqual(CLEAN);
    await nothingRuns();
  });

  it('tells all mistakes in its environment at once, and touches nothing', async () => {
    const fresh = `${folder.path}/never`;
    const parley = new StandaloneProcess({
      dataFolder: fresh,
      env: { PORT: '123456', OPENAI_BASE_URL: 'ftp://x', PARLEY_OPEN: 'yes', LOG_LEVEL: 'loud', OPENAI_API_KEY: '' },
    });
    expect(await parley.exited).toEqual({ code: 1, signal: null });
    for (const name of ['PORT', 'OPENAI_BASE_URL', 'PARLEY_OPEN', 'LOG_LEVEL']) {
      expect(parley.output.split('\n').filter((line) => line.includes(`${name}`))).toHaveLength(1);
    }
    expect(existsSync(fresh)).toBe(false);
  });

  it('may be open on this machine only', async () => {
    const parley = start({ PARLEY_OPEN: '1', HOST: '0.0.0.0' });
    expect(await parley.exited).toEqual({ code: 1, signal: null });
    expect(parley.output).toContain('PARLEY_OPEN');
  });
});
