import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { durableFrameId, newId, RunId, type RunId as Run } from '@parley/core';
import { type ClaimedRun, type SessionRef, type Tables } from '@parley/persistence';
import { type FlakyRunLog } from '../loop/flaky-run-log.contract.js';
import { referenceWorld } from '../loop/reference-world.contract.js';
import { ScriptedModel, type ScriptedCall } from '../loop/scripted-model.contract.js';
import { type World } from '../loop/world.contract.js';
import { type ReservedSlot } from './executor.js';

/** A model that answers at once. */
const prompt = (): ScriptedModel => new ScriptedModel((call) => call.answer('Hi'));

describe('an executor', () => {
  let world: World;
  let log: FlakyRunLog;
  let tables: Tables;

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  beforeEach(() => {
    ({ world, log, tables } = referenceWorld());
  });

  afterEach(async () => {
    log.fault = 'none';
    await world.close();
  });

  /** Takes the lock connection of the executor that holds the run, as its death or a cut would. */
  const cut = (run: Run): void => {
    const executor = tables.run(world.tenant, run)?.executor;
    if (executor) tables.executors.get(executor)?.connection.abort();
  };

  /** The executors that others take for alive. */
  const living = (): number[] => {
    const rows = [...tables.executors.values()];
    return rows.filter((row) => row.leaseUntil > new Date() && !row.connection.signal.aborted).map(({ id }) => id);
  };

  /** Admits a run straight into the hands of the slot's executor. */
  const admitted = async (slot: ReservedSlot | undefined, ref: SessionRef, id: Run): Promise<ClaimedRun> => {
    const answer = await world.admit(ref, 'Hello', { id, executor: slot?.executor });
    if (answer.outcome !== 'queued' || !answer.claimed) throw new Error('it was not handed over');
    return answer.claimed;
  };

  const handOver = async (slot: ReservedSlot | undefined, ref: SessionRef, id: Run): Promise<void> =>
    slot?.fill(await admitted(slot, ref, id));

  describe('that died in mid-reply', () => {
    let ref: SessionRef;
    let run: Run;
    let lost: ScriptedCall;
    let model: ScriptedModel;

    beforeEach(async () => {
      const dead = new ScriptedModel();
      await world.start(dead, { slots: 1 });
      ref = await world.session();
      run = await world.send(ref, 'Hello');
      lost = await dead.next();
      lost.say('Well');
      model = new ScriptedModel();
      await world.start(model, { slots: 1 });
    });

    it('is replaced: another starts the round again, and each message is there once', async () => {
      cut(run);
      (await model.next()).answer('Hi');
      expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
      expect(await world.kinds(ref)).toEqual(['input', 'restarted', 'model_replied', 'run_ended']);
    });

    it('cannot write any more, and stops its model when it learns of that', async () => {
      cut(run);
      const call = await model.next();
      lost.answer('Too late');
      await sleep(20);
      call.answer('Hi');
      await world.ended(run);
      const [, , replied] = await world.events(ref);
      expect(replied?.body).toMatchObject({ parts: [{ text: 'Hi' }] });
      expect(await world.kinds(ref)).toHaveLength(4);
    });

    it('learns by its heartbeat that the run is not its own any more', async () => {
      cut(run);
      await model.next();
      await sleep(1_100);
      expect(lost.request.signal.aborted).toBe(true);
    });

    it('has what it showed voided by a frame, and ids rise over both attempts', async () => {
      const heard = world.listen(ref);
      lost.say(' now');
      cut(run);
      (await model.next()).answer('Hi');
      await world.ended(run);
      await sleep(5);
      const ids = [
        durableFrameId(1) + 2,
        durableFrameId(2),
        durableFrameId(2) + 1,
        durableFrameId(3),
        durableFrameId(4),
      ];
      expect(heard.map(({ id }) => id)).toEqual(ids);
      expect(heard.slice(1)).toEqual((await world.replay(ref)).slice(1));
    });

    it('is not waited for: its run is claimed within a second', async () => {
      const before = Date.now();
      cut(run);
      await model.next();
      expect(Date.now() - before).toBeLessThan(1_000);
    });
  });

  it('whose lease has run out without a word loses its runs, however alive it is', async () => {
    const hung = new ScriptedModel();
    await world.start(hung, { slots: 1 });
    const ref = await world.session();
    const run = await world.send(ref, 'Hello');
    const call = await hung.next();
    const row = tables.executors.get(1);
    if (row) row.leaseUntil = new Date(0);
    await world.start(prompt());
    expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
    call.answer('Too late');
    await sleep(20);
    expect(await world.kinds(ref)).toHaveLength(4);
  });

  it('that is alone takes the runs of all earlier ones as it starts', async () => {
    const ref = await world.session();
    const run = newId(RunId);
    const earlier = await log.register();
    await world.admit(ref, 'Hello', { id: run, executor: earlier });
    await world.start(prompt(), { isAlone: true });
    expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
  });

  it('that lost its lock goes on under a new id, and ends what it holds under the old one', async () => {
    const model = new ScriptedModel();
    const { executor } = await world.start(model);
    const ref = await world.session();
    const run = await world.send(ref, 'Hello');
    const call = await model.next();
    jest.spyOn(log, 'reclaim').mockResolvedValue([]); // no other executor is there to take the run
    cut(run);
    await sleep(300);
    const other = await world.send(await world.session(), 'Hello');
    (await model.next()).answer('Hi');
    await world.ended(other);
    call.answer('Hi');
    expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
    expect(await world.kinds(ref)).toEqual(['input', 'model_replied', 'run_ended']);
    await sleep(300);
    expect(living()).toEqual([2]);
    const slot = executor.reserve();
    expect(slot?.executor).toBe(2);
    slot?.giveBack();
  });

  describe('that is told to stop', () => {
    it('lets a run end that ends soon', async () => {
      const model = new ScriptedModel();
      const { executor } = await world.start(model, { graceMs: 1_000 });
      const ref = await world.session();
      const run = await world.send(ref, 'Hello');
      const call = await model.next();
      const stopped = executor.beforeApplicationShutdown();
      await sleep(20);
      call.answer('Hi');
      await stopped;
      expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
      expect(await world.kinds(ref)).toEqual(['input', 'model_replied', 'run_ended']);
    });

    it('hands back a run that does not, with its live text voided, and others go on at once', async () => {
      const model = new ScriptedModel();
      const { executor } = await world.start(model, { graceMs: 20 });
      const ref = await world.session();
      const run = await world.send(ref, 'Hello');
      const call = await model.next();
      call.say('Well');
      await world.start(prompt());
      const before = Date.now();
      await executor.beforeApplicationShutdown();
      expect(call.request.signal.aborted).toBe(true);
      expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
      expect(Date.now() - before).toBeLessThan(450);
      expect(await world.kinds(ref)).toEqual(['input', 'restarted', 'model_replied', 'run_ended']);
      expect(tables.run(world.tenant, run)?.deaths).toBe(0);
    });

    it('says good-bye, claims nothing more and reserves nothing', async () => {
      const { executor } = await world.start(prompt());
      await executor.beforeApplicationShutdown();
      expect(living()).toEqual([]);
      expect(executor.reserve()).toBeUndefined();
      const run = await world.send(await world.session(), 'Hello');
      await sleep(600);
      expect(tables.run(world.tenant, run)?.state).toBe('queued');
    });

    it('waits for an admission that it keeps a slot for', async () => {
      const { executor } = await world.start(prompt(), { graceMs: 20 });
      const ref = await world.session();
      const run = newId(RunId);
      const slot = executor.reserve();
      const stopped = executor.beforeApplicationShutdown();
      await sleep(50);
      await handOver(slot, ref, run);
      await stopped;
      expect(tables.run(world.tenant, run)?.state).toBe('queued');
      expect(living()).toEqual([]);
    });
  });

  describe('with slots', () => {
    it('never holds more runs than it has, and gets to all of them', async () => {
      const model = new ScriptedModel();
      await world.start(model, { slots: 3 });
      const runs: Run[] = [];
      for (let n = 0; n < 10; n++) runs.push(await world.send(await world.session(), 'Hello'));
      for (let n = 0; n < 10; n++) {
        const call = await model.next();
        await sleep(5);
        const held = [...tables.runs.values()].filter(({ state }) => state === 'running');
        expect(held.length).toBeLessThanOrEqual(3);
        call.answer('Hi');
      }
      for (const run of runs) expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
    });

    it('goes on at once where more was queued than it heard of', async () => {
      await world.start(prompt(), { slots: 2 });
      const runs: Run[] = [];
      for (let n = 0; n < 20; n++) {
        const id = newId(RunId);
        await world.admit(await world.session(), 'Hello', { id });
        runs.push(id);
      }
      const before = Date.now();
      for (const run of runs) await world.ended(run);
      expect(Date.now() - before).toBeLessThan(2_000);
    });

    it('finds a run whose permit was lost', async () => {
      await world.start(prompt());
      await sleep(20);
      const id = newId(RunId);
      await world.admit(await world.session(), 'Hello', { id });
      const before = Date.now();
      await world.ended(id);
      expect(Date.now() - before).toBeLessThan(1_500);
    });

    it('keeps one for an admission and acts the run that comes of it, without a claim', async () => {
      const model = new ScriptedModel();
      const { executor } = await world.start(model, { slots: 1 });
      const claim = jest.spyOn(log, 'claim');
      const ref = await world.session();
      const run = newId(RunId);
      const slot = executor.reserve();
      expect(executor.reserve()).toBeUndefined();
      await handOver(slot, ref, run);
      expect(model.calls).toHaveLength(0); // the agent is fetched first
      (await model.next()).answer('Hi');
      await world.ended(run);
      expect(claim).not.toHaveBeenCalled();
      await sleep(5);
      const again = executor.reserve();
      expect(again?.executor).toBe(slot?.executor);
      again?.giveBack();
    });

    it('calls the model of a known agent before the admission goes on', async () => {
      const model = prompt();
      const { executor } = await world.start(model);
      await world.ended(await world.send(await world.session(), 'Hello'));
      const slot = executor.reserve();
      const claimed = await admitted(slot, await world.session(), newId(RunId));
      expect(model.calls).toHaveLength(1);
      slot?.fill(claimed);
      expect(model.calls).toHaveLength(2);
    });

    it('gives back a run that got lost on its way', async () => {
      const { executor } = await world.start(prompt());
      const ref = await world.session();
      const run = newId(RunId);
      const slot = executor.reserve();
      await admitted(slot, ref, run);
      slot?.giveBack();
      expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
      expect(await world.kinds(ref)).toEqual(['input', 'restarted', 'model_replied', 'run_ended']);
    });
  });

  describe('without its database', () => {
    it('keeps a reply that is in hand until it can be written', async () => {
      const model = new ScriptedModel();
      await world.start(model);
      const ref = await world.session();
      const run = await world.send(ref, 'Hello');
      const call = await model.next();
      log.fault = 'away';
      call.answer('Hi');
      await sleep(400);
      log.fault = 'none';
      expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
      expect(await world.kinds(ref)).toEqual(['input', 'model_replied', 'run_ended']);
    });

    it('ends a run once whose end was written and whose answer was lost', async () => {
      const model = new ScriptedModel();
      await world.start(model);
      const ref = await world.session();
      const run = await world.send(ref, 'Hello');
      const call = await model.next();
      log.fault = 'answer lost';
      call.answer('Hi');
      await world.ended(run);
      log.fault = 'none';
      await sleep(100);
      expect(await world.kinds(ref)).toEqual(['input', 'model_replied', 'run_ended']);
    });

    it('gives back a run of which it cannot tell whether its results were written', async () => {
      const model = new ScriptedModel();
      await world.start(model);
      const ref = await world.session();
      const run = await world.send(ref, 'Find it');
      const call = await model.next();
      log.fault = 'answer lost';
      call.ask('search');
      call.end();
      await sleep(20);
      log.fault = 'none';
      const again = await model.next();
      again.answer('I cannot.');
      expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
      const kinds = ['input', 'model_replied', 'call_settled', 'restarted', 'model_replied', 'run_ended'];
      expect(await world.kinds(ref)).toEqual(kinds);
    });

    it('starts no effect on a heartbeat that is older than two seconds', async () => {
      const model = new ScriptedModel();
      const { executor } = await world.start(model);
      const known = await world.send(await world.session(), 'Hello');
      (await model.next()).answer('Hi');
      await world.ended(known);
      const slot = executor.reserve();
      const claimed = await admitted(slot, await world.session(), newId(RunId));
      jest.spyOn(log, 'heartbeat').mockRejectedValue(new Error('no answer'));
      await sleep(2_100);
      slot?.fill(claimed);
      await sleep(200);
      expect(model.calls).toHaveLength(1);
      jest.restoreAllMocks();
      (await model.next()).answer('Hi');
    });

    it('ends a run whose result the database refuses', async () => {
      const model = new ScriptedModel();
      await world.start(model);
      const ref = await world.session();
      const run = await world.send(ref, 'Hello');
      log.refused = 'model_replied';
      (await model.next()).answer('Hi');
      expect(await world.ended(run)).toMatchObject({ state: 'failed', reason: 'internal' });
      expect(await world.kinds(ref)).toEqual(['input', 'run_ended']);
    });

    it('registers as soon as the database is there', async () => {
      log.fault = 'away';
      await world.start(prompt());
      log.fault = 'none';
      const run = await world.send(await world.session(), 'Hello');
      expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
    });
  });
});
