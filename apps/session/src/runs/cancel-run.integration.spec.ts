import { admitRun, cancelRun } from '@parley/contracts';
import { CallId, FactId, InterruptId, newId, RunId, type EventBody } from '@parley/core';
import { postgresServers } from '@parley/testing';
import { Scene, startSessionService } from '../session-service.contract.js';

const usage = { input: 1, cachedInput: 0, output: 1, reasoning: 0, estimated: false };
const replyWith = (call: CallId): EventBody => ({
  kind: 'model_replied',
  round: 1,
  parts: [{ type: 'call', id: call, name: 'mail', arguments: '{}', origin: 'model' }],
  usage,
  model: 'simulator/sim-1-0',
  finish: 'calls',
});

describe.each(postgresServers.slice(-1))('CancelRun', (server) => {
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

  const cancel = (changes: { fact?: FactId; reason?: string; rewind?: boolean } = {}) =>
    service.bus.request(cancelRun, {
      ...scene.ref,
      run,
      fact: newId(FactId),
      reason: null,
      rewind: false,
      ...changes,
    });
  const timed = async <T>(work: Promise<T>): Promise<[T, number]> => {
    const started = performance.now();
    return [await work, performance.now() - started];
  };

  it('ends a queued run at once, and shows that to streams', async () => {
    const [ended, ms] = await timed(cancel({ reason: 'enough' }));
    expect(ended).toMatchObject({ id: run, state: 'cancelled', reason: 'enough', lastSeq: 2 });
    expect(ms).toBeLessThan(500);
    expect(scene.shown).toEqual(['input', 'run_ended']);
    await expect(scene.claim()).rejects.toThrow('nothing to claim');
  });

  it('ends a run that waits for a person at once, and withdraws its question', async () => {
    const question: EventBody = { kind: 'asked', interrupt: newId(InterruptId), ask: 'question', call: null };
    await scene.park(await scene.claim(), [question], { waitingFor: 'person', dueAt: null });
    expect(await cancel()).toMatchObject({ state: 'cancelled' });
    expect(await scene.log()).toEqual(['input', 'asked', 'answered', 'run_ended']);
  });

  it('takes a run that is rolled back out of the history', async () => {
    expect(await cancel({ rewind: true })).toMatchObject({ state: 'cancelled', reason: 'rolled_back' });
    expect(await scene.log()).toEqual(['input', 'rewound', 'run_ended']);
  });

  it('lets the holder end its run, and answers as soon as it has', async () => {
    const claimed = await scene.claim();
    const nudges = scene.nudges();
    const cancelling = timed(cancel());
    while (nudges.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const facts = (await service.runLog.look(scene.ref))?.facts.map(({ id }) => id);
    await scene.finish(claimed, 'cancelled', facts);
    const [ended, ms] = await cancelling;
    expect(ended).toMatchObject({ state: 'cancelled', epoch: 1 });
    expect(ms).toBeLessThan(700);
    expect(await scene.log()).toEqual(['input', 'run_ended']);
  });

  it('notices the end of a run even though no frame tells of it', async () => {
    const claimed = await scene.claim();
    const nudges = scene.nudges();
    const publish = service.frames.publish.bind(service.frames);
    service.frames.publish = () => undefined;
    const cancelling = timed(cancel());
    while (nudges.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const facts = (await service.runLog.look(scene.ref))?.facts.map(({ id }) => id);
    await scene.finish(claimed, 'cancelled', facts);
    const [, ms] = await cancelling;
    service.frames.publish = publish;
    expect(ms).toBeLessThan(900);
  });

  it('takes a run over whose holder is silent, after a second; what was half shown is void', async () => {
    const claimed = await scene.claim();
    const [ended, ms] = await timed(cancel({ reason: 'enough' }));
    expect(ended).toMatchObject({ state: 'cancelled', reason: 'enough', epoch: 2 });
    expect(ms).toBeGreaterThanOrEqual(950);
    expect(ms).toBeLessThan(1_800);
    expect(await scene.log()).toEqual(['input', 'restarted', 'run_ended']);
    expect(scene.shown).toEqual(['input', 'restarted', 'run_ended']);
    expect(await scene.finish(claimed, 'succeeded')).toEqual({ outcome: 'fenced' });
  });

  it('settles the open calls of a run that it takes over: a dispatched one has an unknown outcome', async () => {
    const claimed = await scene.claim();
    const call = newId(CallId);
    const events: EventBody[] = [replyWith(call), { kind: 'call_dispatched', call }];
    await service.runLog.append(scene.held(claimed), scene.addition(claimed, events));
    await cancel();
    const page = await service.runLog.read(scene.ref, { after: 3, limit: 10 });
    expect(page?.events.map(({ body }) => body)).toMatchObject([
      { kind: 'call_settled', call, outcome: 'unknown_outcome' },
      { kind: 'run_ended', state: 'cancelled' },
    ]);
  });

  it('ends a run that its holder hands back instead', async () => {
    const claimed = await scene.claim();
    const nudges = scene.nudges();
    const cancelling = cancel();
    while (nudges.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await service.runLog.release(scene.held(claimed), scene.addition(claimed, []));
    expect(await cancelling).toMatchObject({ state: 'cancelled' });
    expect(await scene.log()).toEqual(['input', 'run_ended']);
  });

  it('goes after a run that is written to while it is being taken over', async () => {
    const claimed = await scene.claim();
    const takeOver = service.runLog.takeOver.bind(service.runLog);
    service.runLog.takeOver = async (taking) => {
      service.runLog.takeOver = takeOver;
      await service.runLog.append(scene.held(claimed), scene.addition(claimed, [replyWith(newId(CallId))]));
      return await takeOver(taking);
    };
    expect(await cancel()).toMatchObject({ state: 'cancelled' });
    expect(await scene.log()).toEqual(['input', 'model_replied', 'call_settled', 'run_ended']);
  });

  it('gives the turn to the next in line, and rings for it', async () => {
    const { run: next } = await service.bus.request(admitRun, scene.admission({ whenBusy: 'defer' }));
    await cancel();
    expect(await service.permits.take(10, AbortSignal.timeout(500))).toBe(1);
    expect(scene.shown).toEqual(['input', 'run_ended', 'input']);
    expect((await scene.claim()).run).toBe(next);
  });

  it('ends a run once, however often and from however many sides it is cancelled', async () => {
    await scene.claim();
    const fact = newId(FactId);
    const answers = await Promise.all([cancel({ fact }), cancel({ fact }), cancel(), cancel({ reason: 'other' })]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await cancel({ fact })).toEqual(answers[0]);
    expect(await cancel()).toEqual(answers[0]);
    expect((await scene.log()).filter((kind) => kind === 'run_ended')).toHaveLength(1);
  });

  it('answers a run that had ended before as it is', async () => {
    await scene.finish(await scene.claim(), 'succeeded');
    expect(await cancel()).toMatchObject({ id: run, state: 'succeeded' });
    expect(await scene.log()).toEqual(['input', 'run_ended']);
  });

  it('answers the truth when the run comes to its own end first', async () => {
    const claimed = await scene.claim();
    const post = service.runLog.post.bind(service.runLog);
    service.runLog.post = async (ref, fact) => {
      service.runLog.post = post;
      await scene.finish(claimed, 'succeeded');
      return await post(ref, fact);
    };
    expect(await cancel()).toMatchObject({ state: 'succeeded' });
  });

  it('ends a run that is still in line', async () => {
    const deferred = await service.bus.request(admitRun, scene.admission({ whenBusy: 'defer' }));
    run = deferred.run;
    expect(await cancel()).toMatchObject({ id: run, state: 'cancelled', firstSeq: null, lastSeq: null });
  });

  it('answers that an unknown run is not there', async () => {
    run = newId(RunId);
    await expect(cancel()).rejects.toMatchObject({ code: 'not_found', details: { noun: 'run', id: run } });
  });
});
