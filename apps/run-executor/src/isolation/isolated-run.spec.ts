import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type RunId } from '@parley/core';
import { type SessionRef, type Tables } from '@parley/persistence';
import { referenceWorld } from '../loop/reference-world.contract.js';
import { type RunHolder, type World } from '../loop/world.contract.js';
import { fatalWords } from './fatal-words.contract.js';

describe('a run with which executors have died', () => {
  let world: World;
  let tables: Tables;
  let ref: SessionRef;

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  beforeEach(async () => {
    ({ world, tables } = referenceWorld());
    ref = await world.session();
  });

  afterEach(() => world.close());

  /** Admits a run that so many executors died with; the next claim takes it. */
  const haunted = async (words: string, deaths = 2): Promise<RunId> => {
    const run = await world.send(ref, words);
    const row = tables.run(world.tenant, run);
    if (row) row.deaths = deaths;
    return run;
  };

  /** Waits until the run's reply is in the making, in the child. */
  const shown = async (): Promise<RunHolder> => {
    for (;;) {
      const holder = await world.holder(ref).catch(() => undefined);
      if (holder && (await world.tail(world.tenant, holder)).length > 0) return holder;
      await sleep(20);
    }
  };

  it('is acted apart, as any other: same log, same frames', async () => {
    const run = await haunted('Hello', 20);
    const heard = world.listen(ref);
    await world.start(fatalWords());
    expect(await world.ended(run)).toMatchObject({ state: 'succeeded', reason: null });
    expect(await world.kinds(ref)).toEqual(['input', 'model_replied', 'run_ended']);
    await sleep(50);
    expect(heard.slice(-4)).toEqual((await world.replay(ref)).slice(-4));
  }, 120_000);

  it.each([
    ['is killed', 'Die', 'poison: its own process was killed by SIGKILL'],
    ['leaves', 'Leave', 'poison: its own process ended with code 3'],
    ['eats its memory', 'Eat', 'poison: its own process was killed by SIGABRT'],
  ])(
    'ends as poison when its own process %s, and harms nobody else',
    async (_, words, reason) => {
      const run = await haunted(words);
      await world.start(fatalWords());
      const others: RunId[] = [];
      for (let n = 0; n < 3; n++) others.push(await world.send(await world.session(), 'Hello'));
      for (const other of others) expect(await world.ended(other)).toMatchObject({ state: 'succeeded' });
      expect(await world.ended(run)).toMatchObject({ state: 'failed', reason });
      expect(await world.kinds(ref)).toEqual(['input', 'restarted', 'run_ended']);
    },
    120_000,
  );

  it('hears a cancel within a second', async () => {
    const run = await haunted('Take your time');
    await world.start(fatalWords());
    await shown();
    const before = performance.now();
    await world.cancel(ref, run);
    expect(await world.ended(run)).toMatchObject({ state: 'cancelled', reason: 'interrupted' });
    expect(performance.now() - before).toBeLessThan(1_000);
  }, 120_000);

  it('is given back when its executor stops, and no death is counted', async () => {
    const run = await haunted('Take your time');
    const process = await world.start(fatalWords());
    await shown();
    await process.executor.beforeApplicationShutdown();
    expect(tables.run(world.tenant, run)).toMatchObject({ state: 'queued', deaths: 2 });
    expect(await world.kinds(ref)).toEqual(['input', 'restarted']);
  }, 120_000);

  it('is no poison when another has taken it: its process is ended', async () => {
    const run = await haunted('Take your time');
    await world.start(fatalWords());
    const holder = await shown();
    const row = tables.run(world.tenant, run);
    if (row) Object.assign(row, { state: 'queued', executor: null, epoch: row.epoch + 1, dueAt: null });
    while ((await world.tail(world.tenant, holder)).length > 0) await sleep(20);
    await sleep(500);
    expect(row).toMatchObject({ state: 'queued', reason: null });
  }, 120_000);
});
