import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type RunId } from '@parley/core';
import { type SessionRef } from '@parley/persistence';
import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { postgresWorld } from '../loop/postgres-world.contract.js';
import { ScriptedModel } from '../loop/scripted-model.contract.js';
import { type World } from '../loop/world.contract.js';

const ROUNDS = 6;
const RUNS_A_ROUND = 10;

/** A model that talks for longer than the executor's grace, now and then. */
const talking = (): ScriptedModel =>
  new ScriptedModel((call) => {
    void (async () => {
      for (let word = 0; word < 10 && !call.request.signal.aborted; word++) {
        call.say(` ${word}`);
        await sleep(20);
      }
      call.end();
    })();
  });

describe.each(postgresServers.slice(-1))('executors that are stopped and started again in turn, on $name', (server) => {
  let test: TestDatabase;
  let world: World;

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  beforeEach(async () => {
    test = await createTestDatabase(server, { migrated: true });
    world = await postgresWorld(test.url);
  });

  afterEach(async () => {
    await world.close();
    await test.drop();
  });

  it('lose no run, double none, and none of it counts as a death', async () => {
    const models = [talking(), talking()];
    const start = async (model: ScriptedModel) => (await world.start(model, { graceMs: 50, slots: 50 })).executor;
    const executors = await Promise.all(models.map(start));
    const claimed: number[] = [];
    const { log } = world;
    const claim = log.claim.bind(log);
    log.claim = async (...args) => {
      const runs = await claim(...args);
      claimed.push(...runs.map(({ deaths }) => deaths));
      return runs;
    };
    const sent: [SessionRef, RunId][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (let n = 0; n < RUNS_A_ROUND; n++) {
        const ref = await world.session();
        sent.push([ref, await world.send(ref, 'Hello')]);
      }
      await sleep(60);
      await executors[round % 2]?.beforeApplicationShutdown();
      executors[round % 2] = await start(models[round % 2] ?? talking());
    }
    for (const [ref, run] of sent) {
      expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
      const kinds = (await world.kinds(ref)).filter((kind) => kind !== 'restarted');
      expect(kinds).toEqual(['input', 'model_replied', 'run_ended']);
    }
    expect(claimed.length).toBeGreaterThan(sent.length); // some were handed back in the middle, and taken by the other
    expect(new Set(claimed)).toEqual(new Set([0]));
  }, 120_000);
});
