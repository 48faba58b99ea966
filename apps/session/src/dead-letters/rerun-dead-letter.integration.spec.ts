import { admitRun, getRun, listDeadLetters, rerunDeadLetter } from '@parley/contracts';
import { deriveId, newId, POISON, RunId, TenantId } from '@parley/core';
import { postgresServers } from '@parley/testing';
import { Scene, startSessionService, words } from '../session-service.contract.js';

describe.each(postgresServers.slice(-1))('RerunDeadLetter', (server) => {
  let service: Awaited<ReturnType<typeof startSessionService>>;
  let scene: Scene;

  beforeAll(async () => {
    service = await startSessionService(server);
  });
  afterAll(async () => {
    await service.close();
  });
  beforeEach(async () => {
    scene = await Scene.open(service);
  });

  const admit = (changes?: Parameters<Scene['admission']>[0]) =>
    service.bus.request(admitRun, scene.admission(changes));
  const rerun = (run: RunId, tenant = scene.tenant) => service.bus.request(rerunDeadLetter, { tenant, run });

  /** A run that two executors did not survive, nor its own process. */
  const deadLetter = async (): Promise<RunId> => {
    const { run } = await admit({ parts: words('die'), budget: { rounds: 3 } });
    await scene.finish(await scene.claim(), 'failed', [], `${POISON}it was killed`);
    return run;
  };

  it('is found in the list, and admits the same input with the same limits to the same session', async () => {
    const run = await deadLetter();
    const { items } = await service.bus.request(listDeadLetters, { tenant: scene.tenant, limit: 10 });
    const { session, agent } = scene;
    expect(items).toEqual([
      { run, session, agent, reason: 'poison: it was killed', preview: 'die', at: expect.any(Date) },
    ]);
    const again = await rerun(run);
    const id = deriveId(RunId, { tenant: scene.tenant, kind: 'rerun', key: run });
    expect(again).toEqual({ outcome: 'queued', run: id, seq: 3, at: expect.any(Date) });
    expect(await scene.claim()).toMatchObject({ run: id, parts: words('die'), budget: { rounds: 3 }, deaths: 0 });
    expect(await scene.log()).toEqual(['input', 'run_ended', 'input']);
  });

  it('gives the first answer to whoever asks again, also when that run has ended', async () => {
    const run = await deadLetter();
    const [first, second] = await Promise.all([rerun(run), rerun(run)]);
    expect(second).toEqual(first);
    await scene.finish(await scene.claim(), 'succeeded');
    expect(await rerun(run)).toEqual(first);
    expect(await scene.log()).toEqual(['input', 'run_ended', 'input', 'run_ended']);
  });

  it('acts by the agent as it is now', async () => {
    const run = await deadLetter();
    const agent = await service.agents.find(scene.tenant, { id: scene.agent });
    if (!agent) throw new Error('the agent is gone');
    await service.agents.revise(scene.tenant, scene.agent, 1, { ...agent.definition, name: 'Mended' });
    await rerun(run);
    expect(await scene.claim()).toMatchObject({ version: 2 });
  });

  it('can be had once more for a rerun that is a dead letter itself', async () => {
    const { run: second } = await rerun(await deadLetter());
    await scene.finish(await scene.claim(), 'failed', [], `${POISON}it was killed again`);
    const { run: third } = await rerun(second);
    expect((await scene.claim()).run).toBe(third);
  });

  it('stands in line while the session is busy', async () => {
    const run = await deadLetter();
    await admit();
    expect(await rerun(run)).toMatchObject({ outcome: 'deferred' });
  });

  it('is refused, with the reason, for what is no dead letter', async () => {
    const { run } = await admit();
    const queued = `run '${run}' is no dead letter, it is queued: send its input again as a new run`;
    await expect(rerun(run)).rejects.toMatchObject({ code: 'illegal_state', message: queued });
    await scene.finish(await scene.claim(), 'failed', [], 'model_failed');
    await expect(rerun(run)).rejects.toMatchObject({ message: expect.stringContaining('failed (model_failed)') });
    await expect(rerun(newId(RunId))).rejects.toMatchObject({ code: 'not_found', details: { noun: 'run' } });
  });

  it('is nobody else’s', async () => {
    const run = await deadLetter();
    const foreign = newId(TenantId);
    await expect(rerun(run, foreign)).rejects.toMatchObject({ code: 'not_found' });
    expect(await service.bus.request(listDeadLetters, { tenant: foreign, limit: 10 })).toEqual({
      items: [],
      next: null,
    });
    expect(await service.bus.request(getRun, { tenant: scene.tenant, id: run })).toMatchObject({ state: 'failed' });
  });
});
