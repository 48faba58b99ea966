import { admitRun, getRun, postFact } from '@parley/contracts';
import { FactId, InterruptId, newId, RunId, type EventBody, type FactBody } from '@parley/core';
import { postgresServers } from '@parley/testing';
import { Scene, startSessionService, words } from '../session-service.contract.js';

describe.each(postgresServers.slice(-1))('PostFact', (server) => {
  let service: Awaited<ReturnType<typeof startSessionService>>;
  let scene: Scene;
  let run: RunId;

  beforeAll(async () => {
    service = await startSessionService(server);
  });
  afterAll(async () => {
    await service.close();
  });
  beforeEach(async () => {
    scene = await Scene.open(service);
    run = (await service.bus.request(admitRun, scene.admission())).run;
    await service.permits.take(1_000, AbortSignal.timeout(20));
  });

  const post = (body: FactBody, fact = newId(FactId)) =>
    service.bus.request(postFact, { ...scene.ref, run, fact, body });
  const answerTo = (interrupt: InterruptId): FactBody => ({
    kind: 'answer',
    interrupt,
    outcome: 'answered',
    parts: [{ type: 'text', text: 'blue', origin: 'user' }],
  });
  const cancel: FactBody = { kind: 'cancel', reason: 'enough', rewind: false };
  const ask = async (...interrupts: InterruptId[]) => {
    const questions = interrupts.map((interrupt): EventBody => ({
      kind: 'asked',
      interrupt,
      ask: 'question',
      call: null,
    }));
    await scene.park(await scene.claim(), questions, { waitingFor: 'person', dueAt: null });
  };

  it('writes an answer to a run that waits for it, queues the run, rings, and shows it to streams', async () => {
    const interrupt = newId(InterruptId);
    await ask(interrupt);
    expect(await post(answerTo(interrupt))).toEqual({ outcome: 'taken', state: 'queued' });
    expect(await service.permits.take(10, AbortSignal.timeout(500))).toBe(1);
    expect(await scene.log()).toEqual(['input', 'asked', 'answered']);
    expect(scene.shown).toEqual(['input', 'answered']);
    expect(await scene.claim()).toMatchObject({ run, facts: [], head: { seq: 3, asks: {} } });
  });

  it('lets a run rest until its last question is answered', async () => {
    const [first, second] = [newId(InterruptId), newId(InterruptId)];
    await ask(first, second);
    expect(await post(answerTo(second))).toEqual({ outcome: 'taken', state: 'waiting' });
    await expect(scene.claim()).rejects.toThrow('nothing to claim');
    expect(await post(answerTo(first))).toEqual({ outcome: 'taken', state: 'queued' });
  });

  it('has one effect for a fact that is posted twice, one after the other or at the same moment', async () => {
    const interrupt = newId(InterruptId);
    await ask(interrupt);
    const fact = newId(FactId);
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(answerTo(interrupt), fact)));
    for (const answer of answers) expect(answer).toEqual({ outcome: 'taken', state: 'queued' });
    expect(await post(answerTo(interrupt), fact)).toEqual({ outcome: 'taken', state: 'queued' });
    expect(await scene.log()).toEqual(['input', 'asked', 'answered']);
  });

  it('takes all answers that come at the same moment', async () => {
    const interrupts = Array.from({ length: 8 }, () => newId(InterruptId));
    await ask(...interrupts);
    await Promise.all(interrupts.map((interrupt) => post(answerTo(interrupt))));
    expect((await scene.log()).filter((kind) => kind === 'answered')).toHaveLength(8);
    expect(await scene.claim()).toMatchObject({ facts: [], head: { asks: {} } });
  });

  it('leaves words that may not be heard yet in the inbox', async () => {
    await ask(newId(InterruptId));
    expect(await post({ kind: 'steer', parts: words('hurry') })).toEqual({ outcome: 'posted', state: 'waiting' });
    expect((await service.runLog.look(scene.ref))?.facts).toMatchObject([{ body: { kind: 'steer' } }]);
  });

  it('tells the holder of a run, and leaves the writing to it', async () => {
    const nudges = scene.nudges();
    const claimed = await scene.claim();
    const fact = newId(FactId);
    expect(await post({ kind: 'steer', parts: words('hurry') }, fact)).toEqual({ outcome: 'posted', state: 'running' });
    expect(nudges).toEqual([run]);
    expect(await scene.log()).toEqual(['input']);
    const appended = await service.runLog.append(scene.held(claimed), scene.addition(claimed, []));
    expect(appended).toMatchObject({ outcome: 'written', facts: [{ id: fact }] });
  });

  it('ends a deferred run without a word in the log', async () => {
    const deferred = await service.bus.request(admitRun, scene.admission({ whenBusy: 'defer' }));
    run = deferred.run;
    expect(await post(cancel)).toEqual({ outcome: 'taken', state: 'cancelled' });
    expect(await scene.log()).toEqual(['input']);
  });

  it('answers what has become of a run that has ended', async () => {
    await scene.finish(await scene.claim(), 'succeeded');
    expect(await post({ kind: 'steer', parts: words('wait') })).toEqual({ outcome: 'void', state: 'succeeded' });
  });

  it('answers that an unknown run, or one of another session, is not there', async () => {
    const other = await Scene.open(service);
    const body = cancel;
    const elsewhere = { ...other.ref, run, fact: newId(FactId), body };
    await expect(service.bus.request(postFact, elsewhere)).rejects.toMatchObject({ code: 'not_found' });
    run = newId(RunId);
    await expect(post(cancel)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leaves the writing to an executor that takes the run between the posting and the writing', async () => {
    const nudges = scene.nudges();
    const write = service.runLog.write.bind(service.runLog);
    service.runLog.write = async (unheld) => {
      service.runLog.write = write;
      await scene.claim();
      return await write(unheld);
    };
    const fact = newId(FactId);
    expect(await post({ kind: 'steer', parts: words('hurry') }, fact)).toEqual({ outcome: 'posted', state: 'running' });
    expect(nudges).toEqual([run]);
    expect(await scene.log()).toEqual(['input']);
    expect((await service.runLog.look(scene.ref))?.facts).toMatchObject([{ id: fact }]);
  });

  it('writes what another poster has brought between the posting and the writing', async () => {
    const write = service.runLog.write.bind(service.runLog);
    const other: { answer?: unknown } = {};
    service.runLog.write = async (unheld) => {
      service.runLog.write = write;
      other.answer = await post({ kind: 'steer', parts: words('second') });
      return await write(unheld);
    };
    expect(await post({ kind: 'steer', parts: words('first') })).toEqual({ outcome: 'taken', state: 'queued' });
    expect(other.answer).toEqual({ outcome: 'taken', state: 'queued' });
    const page = await service.runLog.read(scene.ref, { after: 1, limit: 10 });
    expect(page?.events.map(({ body }) => body)).toMatchObject([
      { kind: 'input', parts: words('first') },
      { kind: 'input', parts: words('second') },
    ]);
  });

  it('ends a run whose cancel comes between the posting of words and their writing', async () => {
    const write = service.runLog.write.bind(service.runLog);
    service.runLog.write = async (unheld) => {
      service.runLog.write = write;
      await service.runLog.post(scene.ref, { id: newId(FactId), run, body: cancel });
      return await write(unheld);
    };
    await post({ kind: 'steer', parts: words('first') });
    expect(await service.bus.request(getRun, { tenant: scene.tenant, id: run })).toMatchObject({ state: 'cancelled' });
    expect(await scene.log()).toEqual(['input', 'input', 'run_ended']);
    expect(scene.shown).toEqual(['input', 'input', 'run_ended']);
  });
});
