import { Logger } from '@nestjs/common';
import { DEFAULT_BUDGET, DEFAULT_RETRY } from '@parley/core';
import { ScriptedModel, USAGE } from './scripted-model.contract.js';
import { type World } from './world.contract.js';

const budget = DEFAULT_BUDGET;

/** What becomes of a run that has used up what it may, on any RunLog. */
export const describeRunBudget = (name: string, open: () => Promise<World>): void => {
  describe(`a run with a budget on ${name}`, () => {
    let world: World;
    let model: ScriptedModel;

    beforeAll(() => {
      Logger.overrideLogger(false);
    });

    beforeEach(async () => {
      world = await open();
      model = new ScriptedModel();
    });

    afterEach(() => world.close());

    it.each([
      ['rounds', { ...budget, rounds: 2 }, 'rounds_exceeded'],
      ['tokens', { ...budget, tokens: 30 }, 'tokens_exceeded'],
      ['dollars', { ...budget, costMicroUsd: 5_000 }, 'cost_exceeded'],
    ])('fails when its %s are used up', async (_, limits, reason) => {
      model = new ScriptedModel((call) => {
        call.ask('search');
        call.end({ usage: { ...USAGE, costUsd: 0.0025 } });
      });
      await world.start(model);
      const ref = await world.session();
      const run = await world.send(ref, 'Find it', { budget: limits });
      expect(await world.ended(run)).toMatchObject({ state: 'failed', reason });
      expect(model.calls).toHaveLength(2);
    });

    it('does not make a call again when failed attempts have used up its dollars', async () => {
      world.retry = { ...DEFAULT_RETRY, initialBackoffMs: 100 };
      const usage = { ...USAGE, costUsd: 0.0025 };
      model = new ScriptedModel((call) => call.fail('incomplete', { retryable: true, usage }));
      await world.start(model);
      const ref = await world.session();
      const run = await world.send(ref, 'Find it', { budget: { ...budget, costMicroUsd: 5_000 } });
      expect(await world.ended(run)).toMatchObject({ state: 'failed', reason: 'cost_exceeded' });
      expect(await world.kinds(ref)).toEqual(['input', 'model_failed', 'model_failed', 'run_ended']);
    });

    it('fails before its first call when its dollars are limited and nobody says what the model costs', async () => {
      model.priced = false;
      await world.start(model);
      const ref = await world.session();
      const run = await world.send(ref, 'Find it', { budget: { ...budget, costMicroUsd: 5_000 } });
      expect(await world.ended(run)).toMatchObject({ state: 'failed', reason: 'price_unknown' });
      const [, failed, ended] = await world.events(ref);
      expect(failed?.body).toMatchObject({ code: 'price_unknown', message: expect.stringContaining("'scripted'") });
      expect(ended?.body).toMatchObject({ kind: 'run_ended', reason: 'price_unknown' });
      expect(model.calls).toHaveLength(0);
    });

    it('ends as timed out when its time is over, and stops the model', async () => {
      await world.start(model);
      const ref = await world.session();
      const run = await world.send(ref, 'Hello', { budget: { ...budget, wallMs: 300 } });
      const call = await model.next();
      call.say('Well');
      const ended = await world.ended(run);
      expect(ended).toMatchObject({ state: 'timed_out', reason: null });
      expect(Number(ended.endedAt) - Number(ended.startedAt)).toBeGreaterThanOrEqual(300);
      expect(Number(ended.endedAt) - Number(ended.startedAt)).toBeLessThan(1_500);
      expect(call.request.signal.aborted).toBe(true);
      expect(await world.kinds(ref)).toEqual(['input', 'restarted', 'run_ended']);
    });
  });
};
