import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Logger } from '@nestjs/common';
import { type RunId } from '@parley/core';
import { PostgresRunLog } from '@parley/persistence';
import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { postgresWorld } from '../loop/postgres-world.contract.js';
import { type World } from '../loop/world.contract.js';
import { type FatalExecutor } from './fatal-executor.contract.js';

const program = fileURLToPath(new URL('./fatal-executor.contract.ts', import.meta.url));
const loader = new URL('../../../../tools/typescript.mjs', import.meta.url).href;

describe.each(postgresServers.slice(-1))('an executor that is started again whenever it dies, on $name', (server) => {
  let test: TestDatabase;
  let world: World;
  let directory: string;
  let executor: ChildProcess | undefined;
  let deaths = 0;

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  beforeEach(async () => {
    test = await createTestDatabase(server, { migrated: true });
    world = await postgresWorld(test.url);
    directory = mkdtempSync(join(tmpdir(), 'parley-isolation-'));
    deaths = 0;
  });

  afterEach(async () => {
    const last = executor;
    executor = undefined;
    if (last) {
      last.kill('SIGKILL');
      await once(last, 'exit');
    }
    await world.close();
    await test.drop();
    rmSync(directory, { recursive: true });
  });

  const pids = (): string => join(directory, 'pids');

  const children = (): number[] =>
    existsSync(pids()) ? readFileSync(pids(), 'utf8').trim().split('\n').map(Number) : [];

  const start = (): void => {
    const told: FatalExecutor = { url: test.url, tenant: world.tenant, agent: world.agent, pids: pids() };
    const started = spawn(process.execPath, ['--import', loader, program, JSON.stringify(told)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    executor = started;
    started.once('exit', () => {
      if (executor !== started) return;
      deaths += 1;
      start();
    });
  };

  /** So many executors take the run and die at once. */
  const kill = async (run: RunId, times: number): Promise<void> => {
    const witness = await world.log.register();
    for (let n = 0; n < times; n++) {
      const doomed = PostgresRunLog.connect(test.url);
      const claimed = await doomed.claim(await doomed.register(), 1);
      expect(claimed).toMatchObject([{ run, deaths: n }]);
      await doomed.close();
      while ((await world.log.reclaim(witness, 'dead')).length === 0) await sleep(10);
    }
    await world.log.retire(witness);
  };

  it('loses two lives to a run that kills it, and then ends that run alone: all others succeed', async () => {
    const poison = await world.send(await world.session(), 'Die');
    const others: RunId[] = [];
    for (let n = 0; n < 3; n++) others.push(await world.send(await world.session(), 'Hello'));
    start();
    const reason = 'poison: its own process was killed by SIGKILL';
    expect(await world.ended(poison)).toMatchObject({ state: 'failed', reason });
    for (const run of others) expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
    expect(deaths).toBe(2);
  }, 240_000);

  it('makes no run poison, however often it is killed from outside', async () => {
    const ref = await world.session();
    const run = await world.send(ref, 'Take your time');
    await kill(run, 20);
    start();
    for (let kills = 1; kills <= 2; kills++) {
      while (children().length < kills) await sleep(50);
      executor?.kill('SIGKILL');
      while (deaths < kills) await sleep(20);
    }
    expect(await world.ended(run)).toMatchObject({ state: 'succeeded', reason: null });
    expect((await world.kinds(ref)).filter((kind) => kind !== 'restarted')).toEqual([
      'input',
      'model_replied',
      'run_ended',
    ]);
    const [first, second] = children();
    for (const child of [first, second]) expect(() => process.kill(child ?? 0, 0)).toThrow('ESRCH');
  }, 240_000);
});
