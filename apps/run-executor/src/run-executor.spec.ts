import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { newId, RunId } from '@parley/core';
import { tailRun } from '@parley/contracts';
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
    const { log, bus, frames, permits, hub } = world;
    const options = { slots: 4, graceMs: 10, isAlone: true, isolated: wordsProgram() };
    const module = RunExecutorModule.with({ log, bus, frames, permits, model, options });
    service = await NestFactory.createMicroservice(module, { strategy: new InProcessServer(hub), logger: false });
    await service.listen();
  });

  it('answers with the message in the making, and with nothing for a run that it does not hold', async () => {
    const ref = await world.session();
    const run = await world.send(ref, 'Hello');
    const call = await model.next();
    const heard = world.listen(ref);
    call.say('Hi');
    const { frames } = await world.bus.request(tailRun, { tenant: world.tenant, run });
    expect(frames).toMatchObject([{ kind: 'delta', text: 'Hi' }]);
    expect(frames).toEqual(heard);
    call.end();
    await world.ended(run);
    expect(await world.bus.request(tailRun, { tenant: world.tenant, run: newId(RunId) })).toEqual({ frames: [] });
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
    await service.close();
    expect(executor.reserve()).toBeUndefined();
    expect(await world.log.getRun(world.tenant, run)).toMatchObject({ state: 'queued' });
  });
});
