import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { InProcessServer } from '@parley/messaging';
import { Executor } from './executor/executor.js';
import { wordsProgram } from './isolation/words-program.contract.js';
import { referenceWorld } from './loop/reference-world.contract.js';
import { ScriptedModel } from './loop/scripted-model.contract.js';
import { type World } from './loop/world.contract.js';
import { RunExecutorModule } from './run-executor.module.js';

describe('the run executor on the bus', () => {
  const model = new ScriptedModel();
  let world: World;
  let service: Awaited<ReturnType<typeof NestFactory.createMicroservice>>;

  beforeAll(async () => {
    ({ world } = referenceWorld());
    const { log, blobs, bus, frames, permits, hub } = world;
    const options = { slots: 4, graceMs: 10, isAlone: true, isolated: wordsProgram() };
    const module = RunExecutorModule.with({ log, blobs, bus, frames, permits, model, options });
    service = await NestFactory.createMicroservice(module, { strategy: new InProcessServer(hub), logger: false });
    await service.listen();
  });

  it('answers with the message in the making, for the epoch under which it holds the run and no other', async () => {
    const ref = await world.session();
    const run = await world.send(ref, 'Hello');
    const call = await model.next();
    const heard = world.listen(ref);
    call.say('Hi');
    const holder = await world.holder(ref);
    const frames = await world.tail(ref.tenant, holder);
    expect(frames).toMatchObject([{ kind: 'delta', text: 'Hi' }]);
    expect(frames).toEqual(heard);
    for (const epoch of [holder.epoch - 1, holder.epoch + 1]) {
      expect(await world.tail(ref.tenant, { ...holder, epoch })).toEqual([]);
    }
    call.end();
    await world.ended(run);
  });

  it('hears nudges', async () => {
    const ref = await world.session();
    const run = await world.send(ref, 'Hello');
    await model.next();
    const before = Date.now();
    await world.cancel(ref, run);
    expect(await world.ended(run)).toMatchObject({ state: 'cancelled' });
    expect(Date.now() - before).toBeLessThan(900);
  });

  it('hands its runs back when it is closed', async () => {
    const ref = await world.session();
    const run = await world.send(ref, 'Hello');
    await model.next();
    const executor = service.get(Executor);
    const holder = await world.holder(ref);
    expect(await world.tail(ref.tenant, holder)).toEqual([]);
    await service.close();
    expect(executor.reserve()).toBeUndefined();
    await expect(world.tail(ref.tenant, holder)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await world.log.getRun(world.tenant, run)).toMatchObject({ state: 'queued' });
  });
});
