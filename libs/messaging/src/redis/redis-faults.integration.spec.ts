import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { PermitsWorld } from './permits-world.contract.js';
import { connectRedis } from './redis-link.js';

/** The time after which everything must work again, in milliseconds. */
const RECOVERY_MS = 15_000;

describe('permits while Redis is not well', () => {
  let world: PermitsWorld;
  let rejections: unknown[];
  let warnings: string[];
  const note = (reason: unknown): unknown => rejections.push(reason);
  beforeEach(async () => {
    rejections = [];
    process.on('unhandledRejection', note);
    warnings = [];
    const [ignore, keep] = [() => undefined, (...told: unknown[]) => warnings.push(JSON.stringify(told))];
    Logger.overrideLogger({ log: ignore, error: keep, warn: keep });
    world = await PermitsWorld.create();
  });
  afterEach(async () => {
    await world.remove();
    process.off('unhandledRejection', note);
    Logger.overrideLogger(['error', 'warn']);
    expect(rejections).toEqual([]);
  });

  /** Adds a permit now and then until one is taken; answers after how long. */
  const recovers = async ({ permits }: ReturnType<PermitsWorld['open']>, adder = permits): Promise<number> => {
    const start = performance.now();
    const taken = permits.take(8, AbortSignal.timeout(RECOVERY_MS));
    const adding = setInterval(() => void adder.add(1), 100);
    expect(await taken).toBeGreaterThan(0);
    clearInterval(adding);
    return performance.now() - start;
  };
  /** The longest that any of many adds takes to be answered, in milliseconds. */
  const slowestAdd = async (add: () => Promise<void>): Promise<number> => {
    const times = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const start = performance.now();
        await add();
        return performance.now() - start;
      }),
    );
    return Math.max(...times);
  };

  it('absent at the start: adds are lost at once, takers wait, and both work once it is there', async () => {
    const executor = world.open('run-executor');
    const session = world.open('session');
    expect(await slowestAdd(() => session.permits.add(1))).toBeLessThan(50);
    expect(await executor.permits.take(1, AbortSignal.timeout(300))).toBe(0);
    expect([executor.link.isUp, session.link.isUp]).toEqual([false, false]);
    expect(warnings.filter((warning) => warning.includes('permits were lost'))).toHaveLength(1);
    expect(warnings.filter((warning) => warning.includes('Redis cannot be reached'))).toHaveLength(2);
    await expect(executor.link.check()).rejects.toThrow(/^Redis at 127\.0\.0\.1:\d+: connect ECONNREFUSED/);

    const taken = executor.permits.take(1, AbortSignal.timeout(RECOVERY_MS));
    await world.redis.start();
    await session.link.connected();
    await session.link.check();
    await session.permits.add(1);
    expect(await taken).toBe(1);
    expect(await executor.permits.take(1, AbortSignal.timeout(300))).toBe(0);
  });

  it('killed and back, twice, while takers wait', async () => {
    await world.redis.start();
    const [executor, session] = [world.open('run-executor'), world.open('session')];
    expect(await recovers(executor, session.permits)).toBeLessThan(RECOVERY_MS);
    for (const awayMs of [100, 2_500]) {
      const waiting = executor.permits.take(8, AbortSignal.timeout(RECOVERY_MS));
      await world.redis.kill();
      expect(await slowestAdd(() => session.permits.add(1))).toBeLessThan(50);
      await sleep(awayMs);
      expect([executor.link.isUp, session.link.isUp]).toEqual([false, false]);
      await world.redis.start();
      await recovers(executor, session.permits);
      await session.permits.add(8);
      expect(await waiting).toBeGreaterThan(0);
    }
  });

  it('flushed while a taker waits, and while permits wait, due and delayed', async () => {
    await world.redis.start();
    const executor = world.open('run-executor');
    const { permits } = executor;
    await executor.link.connected();
    const taken = permits.take(1, AbortSignal.timeout(RECOVERY_MS));
    while ((await world.waiting()) === 0) await sleep(5);
    await world.admin.flushall();
    await permits.add(1);
    expect(await taken).toBe(1);

    await permits.add(20);
    await permits.add(20, new Date(Date.now() + 300));
    while ((await world.admin.zcard('parley:runs:delayed')) < 20) await sleep(5);
    await world.admin.flushall();
    expect(await permits.take(64, AbortSignal.timeout(600))).toBe(0);
    expect(await recovers(executor)).toBeLessThan(RECOVERY_MS);
  });

  it('stopped: adds are answered at once, few are kept, and all works when it goes on', async () => {
    await world.redis.start();
    const [executor, session] = [world.open('run-executor'), world.open('session')];
    await recovers(executor, session.permits);
    await executor.permits.take(64, AbortSignal.timeout(500));

    await world.redis.pause();
    const waiting = executor.permits.take(64, AbortSignal.timeout(500));
    expect(await slowestAdd(() => session.permits.add(200))).toBeLessThan(100);
    expect(await waiting).toBe(0);
    await sleep(4_000);
    expect(session.link.isUp).toBe(false);
    expect(warnings.filter((warning) => warning.includes('Redis cannot be reached')).length).toBeLessThanOrEqual(2);
    await expect(session.link.check()).rejects.toThrow('Redis');

    world.redis.resume();
    expect(await recovers(executor, session.permits)).toBeLessThan(RECOVERY_MS);
    await sleep(500);
    expect(await world.admin.llen('parley:runs:wait')).toBeLessThan(2_100);
  });

  it('costs a taker next to nothing while it is away', async () => {
    const { permits } = world.open('run-executor');
    const before = process.cpuUsage();
    await permits.take(1, AbortSignal.timeout(2_000));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });

  it('full: adds are answered at once, and all works when there is room again', async () => {
    await world.redis.start();
    const executor = world.open('run-executor');
    await recovers(executor);
    await world.admin.config('SET', 'maxmemory', '1mb');
    expect(await slowestAdd(() => executor.permits.add(1))).toBeLessThan(50);
    await executor.permits.take(1, AbortSignal.timeout(300));
    await world.admin.config('SET', 'maxmemory', '0');
    expect(await recovers(executor)).toBeLessThan(RECOVERY_MS);
  });

  it.each(['run-executor', 'session'])(
    'refuses a wrong password of %s, in words that help and do not tell it',
    async (user) => {
      await world.redis.start();
      const link = connectRedis({ url: world.redis.url(user, 'hunter2') });
      const refused = await link.connected().catch((error: unknown) => String(error));
      expect(refused).toMatch(new RegExp(`Redis at 127\\.0\\.0\\.1:\\d+ refuses user ${user}: WRONGPASS`));
      expect(refused).not.toContain('hunter2');
      await expect(link.check()).rejects.toThrow(/WRONGPASS/);
      await sleep(500);
      expect(warnings).toEqual([expect.stringContaining('WRONGPASS')]);
      expect(warnings.join()).not.toContain('hunter2');
      expect(link.isUp).toBe(false);
      await link.close();
    },
  );

  it('gives each user its work and no more', async () => {
    await world.redis.start();
    const session = world.open('session');
    await session.link.connected();
    await session.permits.add(1);
    expect(await session.permits.take(1, AbortSignal.timeout(500))).toBe(0);
    expect(warnings).toEqual([expect.stringContaining('permits cannot be fetched')]);
    while ((await world.admin.llen('parley:runs:wait')) === 0) await sleep(5);

    const executor = world.open('run-executor');
    await executor.link.connected();
    for (const { commands } of [session.link, executor.link]) {
      await expect(commands.flushall()).rejects.toThrow(/NOPERM/);
      await expect(commands.keys('*')).rejects.toThrow(/NOPERM/);
      await expect(commands.config('GET', '*')).rejects.toThrow(/NOPERM/);
      await expect(commands.client('LIST')).rejects.toThrow(/NOPERM/);
      await expect(commands.hget('other:runs:meta', 'x')).rejects.toThrow(/NOPERM/);
      await expect(commands.eval("return redis.call('hget', 'other', 'x')", 0)).rejects.toThrow(/key/);
    }
    await expect(session.link.commands.rpoplpush('parley:runs:wait', 'parley:a')).rejects.toThrow(/NOPERM/);
    const nobody = new Redis(world.redis.port, { lazyConnect: true, enableReadyCheck: false, disableClientInfo: true });
    await expect(nobody.ping()).rejects.toThrow(/NOAUTH/);
    nobody.disconnect();
  });
});
