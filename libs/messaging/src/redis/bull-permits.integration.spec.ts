import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describePermits } from '../permits.contract.js';
import { type BullPermits } from './bull-permits.js';
import { PermitsWorld } from './permits-world.contract.js';

describePermits('BullPermits', async () => {
  const world = await PermitsWorld.start();
  return { permits: await world.join('run-executor'), close: () => world.remove() };
});

describe('BullPermits', () => {
  let world: PermitsWorld;
  beforeEach(async () => {
    world = await PermitsWorld.start();
  });
  afterEach(async () => {
    await world.remove();
  });

  const soon = (): AbortSignal => AbortSignal.timeout(5_000);
  /** Takes until there was nothing for a while. */
  const takeAll = async (permits: BullPermits, max = 64): Promise<number> => {
    let sum = 0;
    for (let taken = -1; taken !== 0; sum += taken) taken = await permits.take(max, AbortSignal.timeout(1_000));
    return sum;
  };

  it('brings permits from one app to another', async () => {
    const [session, executor] = [await world.join('session'), await world.join('run-executor')];
    const taken = executor.take(8, soon());
    await session.add(3);
    const first = await taken;
    expect(first + (first < 3 ? await executor.take(8, soon()) : 0)).toBe(3);
    expect(executor.taken).toBe(3);
  });

  it('gives each of 3,000 permits to one of three takers, each of which gets some', async () => {
    const session = await world.join('session');
    const executors = await Promise.all([1, 2, 3].map(() => world.join('run-executor')));
    const taking = executors.map((executor) => takeAll(executor, 16));
    for (let round = 0; round < 100; round += 1) {
      await Promise.all(Array.from({ length: 30 }, () => session.add(1)));
      await sleep(5);
    }
    const taken = await Promise.all(taking);
    expect(taken.reduce((sum, one) => sum + one, 0)).toBe(3_000);
    expect(Math.min(...taken)).toBeGreaterThan(0);
    expect(executors.map((executor) => executor.taken)).toEqual(taken);
  });

  it('shares permits with another process, and goes on when that is killed', async () => {
    const [session, executor] = [await world.join('session'), await world.join('run-executor')];
    const other = spawn(process.execPath, ['--import', loader, '--input-type=module', '-e', takerIn(world)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let takenThere = 0;
    other.stdout.on('data', (chunk: Buffer) => (takenThere += chunk.toString().split('taken').length - 1));
    try {
      while ((await world.waiting()) === 0) await sleep(20);
      const takingHere = takeAll(executor, 1);
      for (let round = 0; round < 60; round += 1) {
        await session.add(5);
        await sleep(10);
      }
      const takenHere = await takingHere;
      expect(takenHere + takenThere).toBe(300);
      expect(Math.min(takenHere, takenThere)).toBeGreaterThan(0);

      other.kill('SIGKILL');
      await once(other, 'exit');
      await session.add(1);
      expect(await executor.take(1, soon())).toBe(1);
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('leaves nothing in Redis that grows with the permits that were taken', async () => {
    const [session, executor] = [await world.join('session'), await world.join('run-executor')];
    for (let round = 0; round < 4; round += 1) {
      await session.add(1_000);
      await session.add(100, new Date(Date.now() + 200));
      expect(await takeAll(executor)).toBe(1_100);
    }
    const keys = await world.admin.keys('*');
    expect(keys.filter((key) => !/^parley:runs:(id|meta|events|marker)$/.test(key))).toEqual([]);
    expect(await world.admin.xlen('parley:runs:events')).toBeLessThan(11_000);
  });

  it('keeps nothing of a tenant or a run in Redis', async () => {
    const session = await world.join('session');
    await session.add(1);
    await session.add(1, new Date(Date.now() + 60_000));
    while ((await world.admin.exists('parley:runs:2')) === 0) await sleep(5);
    expect(await world.admin.hmget('parley:runs:1', 'name', 'data')).toEqual(['permit', '{}']);
    expect(await world.admin.hmget('parley:runs:2', 'name', 'data')).toEqual(['permit', '{}']);
  });

  it('removes what a taker fetched and never completed, and does not give it again', async () => {
    const [session, executor] = [await world.join('session'), await world.join('run-executor')];
    await session.add(1);
    while ((await world.admin.llen('parley:runs:wait')) === 0) await sleep(5);
    await world.admin.rpoplpush('parley:runs:wait', 'parley:runs:active');
    await world.admin.hset('parley:runs:1', 'processedOn', Date.now() - 120_000);
    expect(await executor.take(1, AbortSignal.timeout(300))).toBe(0);
    expect(await world.admin.exists('parley:runs:1', 'parley:runs:active')).toBe(0);
  });

  it('waits in Redis only while somebody takes, and lets go at once', async () => {
    const [session, executor] = [await world.join('session'), await world.join('run-executor')];
    const wait = new AbortController();
    const taken = executor.take(1, wait.signal);
    while ((await world.waiting()) === 0) await sleep(5);

    const aborted = performance.now();
    wait.abort();
    expect(await taken).toBe(0);
    expect(performance.now() - aborted).toBeLessThan(20);
    while ((await world.waiting()) > 0) await sleep(2);
    expect(performance.now() - aborted).toBeLessThan(500);

    await session.add(2);
    await sleep(100);
    expect(await world.admin.llen('parley:runs:wait')).toBe(2);
    expect(await executor.take(8, soon())).toBe(2);
  });

  it('asks Redis a few times a second at most while nothing comes', async () => {
    const executor = await world.join('run-executor');
    const taken = executor.take(1, AbortSignal.timeout(4_000));
    await sleep(300);
    const before = await commandsOf(world);
    await taken;
    expect((await commandsOf(world)) - before).toBeLessThan(20);
  });

  it('gives a delayed permit in time though it was not the first one added', async () => {
    const [session, executor] = [await world.join('session'), await world.join('run-executor')];
    const start = Date.now();
    await session.add(1, new Date(start + 60_000));
    await session.add(1, new Date(start + 700));
    const taken = executor.take(8, soon());
    await sleep(200);
    await session.add(1, new Date(start + 400));
    expect(await taken).toBe(1);
    expect(Date.now() - start).toBeGreaterThanOrEqual(399);
    expect(Date.now() - start).toBeLessThan(650);
    expect(await executor.take(8, soon())).toBe(1);
    expect(Date.now() - start).toBeGreaterThanOrEqual(699);
  });

  it('closes under load: takers get 0, and each permit was taken or is still there', async () => {
    const [session, executor] = [await world.join('session'), await world.join('run-executor')];
    let [added, taken, gotNothing] = [0, 0, false];
    const taking = (async () => {
      while (!gotNothing) {
        const got = await executor.take(4, AbortSignal.timeout(20_000));
        taken += got;
        gotNothing = got === 0;
      }
    })();
    for (let round = 0; round < 50; round += 1) {
      await session.add(10);
      added += 10;
      if (round === 25) void executor.close();
      await sleep(3);
    }
    const closing = performance.now();
    await Promise.all([executor.close(), taking, session.close()]);
    expect(performance.now() - closing).toBeLessThan(1_500);
    expect(taken).toBeGreaterThan(0);
    expect(taken + (await world.admin.llen('parley:runs:wait'))).toBe(added);
    expect(await executor.take(1, soon())).toBe(0);
  });
});

const loader = fileURLToPath(new URL('../../../../tools/typescript.mjs', import.meta.url));

/** The program of a process that takes one permit after the other and says so. */
const takerIn = (world: PermitsWorld): string => `
const { BullPermits, connectRedis } = await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)});
const permits = new BullPermits(connectRedis({ url: ${JSON.stringify(world.redis.url('run-executor'))} }));
for (;;) if ((await permits.take(1, new AbortController().signal)) === 1) process.stdout.write('taken\\n');`;

const commandsOf = async (world: PermitsWorld): Promise<number> => {
  const stats = await world.admin.info('stats');
  return Number(/total_commands_processed:(\d+)/.exec(stats)?.[1]);
};
