import { admitRun, getRun, postFact } from '@parley/contracts';
import { AgentId, durableFrameId, InterruptId, newId, RunId, SessionId, TenantId, type EventBody } from '@parley/core';
import { postgresServers } from '@parley/testing';
import { Scene, startSessionService, words } from '../session-service.contract.js';

const until = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it never came to hold');
};

const question = (): EventBody => ({ kind: 'asked', interrupt: newId(InterruptId), ask: 'question', call: null });

describe.each(postgresServers.slice(-1))('AdmitRun', (server) => {
  let service: Awaited<ReturnType<typeof startSessionService>>;
  let scene: Scene;

  beforeAll(async () => {
    service = await startSessionService(server);
  });
  afterAll(async () => {
    await service.close();
  });
  beforeEach(async () => {
    await service.permits.take(1_000, AbortSignal.timeout(20));
    service.handOver.free = 0;
    service.handOver.given.length = 0;
    scene = await Scene.open(service);
  });

  const admit = (changes?: Parameters<Scene['admission']>[0]) =>
    service.bus.request(admitRun, scene.admission(changes));
  const stateOf = async (id: RunId) => (await service.bus.request(getRun, { tenant: scene.tenant, id })).state;
  const permit = () => service.permits.take(10, AbortSignal.timeout(200));

  it('queues a run, rings, and shows its input to those who stream', async () => {
    const id = newId(RunId);
    const answer = await admit({ id });
    expect(answer).toEqual({ outcome: 'queued', run: id, seq: 1, at: expect.any(Date) });
    expect(await permit()).toBe(1);
    expect(scene.heard).toEqual([
      {
        kind: 'event',
        id: durableFrameId(1),
        run: id,
        event: { seq: 1, run: id, at: answer.at, body: { kind: 'input', parts: words('hi') }, live: null, hidden: [] },
      },
    ]);
    const page = await service.runLog.read(scene.ref, { after: 0, limit: 10 });
    expect(scene.heard.map((frame) => frame.kind === 'event' && frame.event)).toEqual(page?.events);
  });

  it('gives the first answer to whoever asks twice, whatever has become of the run', async () => {
    const ask = scene.admission();
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => service.bus.request(admitRun, ask)));
    for (const other of others) expect(other).toEqual(first);
    await scene.finish(await scene.claim(), 'succeeded');
    expect(await service.bus.request(admitRun, ask)).toEqual(first);
    expect(await scene.log()).toEqual(['input', 'run_ended']);
  });

  it('carries the agent’s budget, with what the caller says on top', async () => {
    await admit({ budget: { rounds: 3, costMicroUsd: 20_000 } });
    expect((await scene.claim()).budget).toEqual({ rounds: 3, costMicroUsd: 20_000, wallMs: 3_600_000 });
  });

  it('asks for an agent once, and again when it has a newer version', async () => {
    const before = service.registry.asked;
    await admit();
    await scene.finish(await scene.claim(), 'succeeded');
    await admit();
    await scene.finish(await scene.claim(), 'succeeded');
    expect(service.registry.asked - before).toBe(1);
    const agent = await service.agents.find(scene.tenant, { id: scene.agent });
    if (!agent) throw new Error('the agent is gone');
    await service.agents.revise(scene.tenant, scene.agent, 1, {
      ...agent.definition,
      budget: { rounds: 1, wallMs: 5 },
    });
    await admit();
    expect(await scene.claim()).toMatchObject({ version: 2, budget: { rounds: 1, wallMs: 5 } });
    expect(service.registry.asked - before).toBe(2);
  });

  it('refuses what cannot be, with the reason', async () => {
    const other = newId(AgentId);
    await scene.makeAgent(other);
    await expect(admit({ session: newId(SessionId) })).rejects.toMatchObject({
      code: 'not_found',
      details: { noun: 'session' },
    });
    await expect(admit({ agent: newId(AgentId) })).rejects.toMatchObject({
      code: 'not_found',
      details: { noun: 'agent' },
    });
    await expect(admit({ agent: other })).rejects.toMatchObject({ code: 'conflict' });
    await expect(admit({ tenant: newId(TenantId) })).rejects.toMatchObject({ code: 'not_found' });
    await service.sessions.update(scene.tenant, scene.session, { enabled: false });
    await expect(admit()).rejects.toMatchObject({ code: 'illegal_state', details: { noun: 'session' } });
    expect(await scene.log()).toEqual([]);
  });

  it('refuses an id that a run of another session has', async () => {
    const { run: id } = await admit();
    const session = newId(SessionId);
    await scene.makeSession(session);
    await expect(admit({ id, session })).rejects.toMatchObject({ code: 'conflict', details: { noun: 'run', id } });
  });

  it('notices that an agent was removed and made again', async () => {
    const session = newId(SessionId);
    const agent = newId(AgentId);
    await scene.makeAgent(agent);
    await scene.makeSession(session, agent);
    await admit({ session, agent });
    await service.runLog.remove({ tenant: scene.tenant, session });
    await service.agents.remove(scene.tenant, agent);
    await expect(admit({ agent })).rejects.toMatchObject({ code: 'not_found' });
    await scene.makeAgent(agent, { budget: { rounds: 7, wallMs: 7 } });
    await scene.makeSession(session, agent);
    expect(await admit({ session, agent })).toMatchObject({ outcome: 'queued' });
  });

  it('says who is in the way of a run that does not want to wait', async () => {
    const { run } = await admit();
    await expect(admit()).rejects.toMatchObject({
      code: 'illegal_state',
      message: `session '${scene.session}' is busy: its run '${run}' is queued`,
      details: { noun: 'run', id: run },
    });
  });

  describe('with an executor in the same process', () => {
    it('hands a run over as claimed, without a permit', async () => {
      service.handOver.free = 1;
      const { run } = await admit();
      expect(service.handOver.given).toMatchObject([{ run, epoch: 1, parts: words('hi'), head: { seq: 1 } }]);
      expect(await permit()).toBe(0);
      expect(await stateOf(run)).toBe('running');
    });

    it('queues what comes when no slot is free', async () => {
      service.handOver.free = 1;
      await admit();
      scene = await Scene.open(service);
      await admit();
      expect(service.handOver.given).toHaveLength(1);
      expect(await permit()).toBe(1);
    });

    it('gives the slot back where there is no run for it', async () => {
      await admit();
      service.handOver.free = 1;
      await expect(admit()).rejects.toMatchObject({ code: 'illegal_state' });
      await admit({ whenBusy: 'defer' });
      await expect(admit({ session: newId(SessionId) })).rejects.toMatchObject({ code: 'not_found' });
      expect(service.handOver.free).toBe(1);
      expect(service.handOver.given).toEqual([]);
    });

    it('queues a run when the executor is dead', async () => {
      const { executor } = service.handOver;
      Object.assign(service.handOver, { free: 1, executor: 999_999 });
      const { run } = await admit();
      service.handOver.executor = executor;
      expect(await stateOf(run)).toBe('queued');
      expect(service.handOver).toMatchObject({ free: 1, given: [] });
    });
  });

  describe('to a session that is busy', () => {
    it('puts a run in line, and it gets the turn when the other ends', async () => {
      await admit();
      const claimed = await scene.claim();
      const { run, outcome } = await admit({ whenBusy: 'defer', parts: words('next') });
      expect(outcome).toBe('deferred');
      await scene.finish(claimed, 'succeeded');
      expect((await scene.claim()).run).toBe(run);
    });

    it('ends a queued run there and then to make room', async () => {
      const { run: first } = await admit();
      await permit();
      const { run: second, outcome } = await admit({ whenBusy: 'interrupt' });
      expect(outcome).toBe('deferred');
      expect(await service.bus.request(getRun, { tenant: scene.tenant, id: first })).toMatchObject({
        state: 'cancelled',
        reason: 'interrupted',
      });
      expect(await stateOf(second)).toBe('queued');
      expect(await permit()).toBe(1);
      expect(scene.shown).toEqual(['input', 'run_ended', 'input']);
      expect(await scene.log()).toEqual(scene.shown);
    });

    it('takes a rolled back run out of the history', async () => {
      await admit();
      const { run } = await admit({ whenBusy: 'rollback' });
      expect(await scene.log()).toEqual(['input', 'rewound', 'run_ended', 'input']);
      expect((await scene.claim()).head).toMatchObject({ run: { id: run }, spans: [[3, null]] });
    });

    it('tells the holder of a run that is to make room, and answers meanwhile', async () => {
      await admit();
      const nudges = scene.nudges();
      const claimed = await scene.claim();
      const { run, outcome } = await admit({ whenBusy: 'interrupt' });
      expect(outcome).toBe('deferred');
      await until(() => nudges.includes(claimed.run));
      const situation = await service.runLog.look(scene.ref);
      await scene.finish(
        claimed,
        'cancelled',
        situation?.facts.map(({ id }) => id),
      );
      expect((await scene.claim()).run).toBe(run);
      expect(await scene.log()).toEqual(['input', 'run_ended', 'input']);
    });

    it('takes a run over whose holder does not make room within a second', async () => {
      await admit();
      const claimed = await scene.claim();
      const { run } = await admit({ whenBusy: 'interrupt' });
      await until(async () => (await stateOf(claimed.run)) === 'cancelled');
      expect(await stateOf(run)).toBe('queued');
      expect(await scene.finish(claimed, 'succeeded')).toEqual({ outcome: 'fenced' });
    });

    it('gives its words to a run that waits for its turn to be acted', async () => {
      const { run } = await admit();
      const answer = await admit({ whenBusy: 'steer', parts: words('and also') });
      expect(answer).toMatchObject({ outcome: 'steered', run });
      expect(await scene.log()).toEqual(['input', 'input']);
      expect(scene.shown).toEqual(['input', 'input']);
      expect((await scene.claim()).facts).toEqual([]);
    });

    it('leaves its words to the holder of a run that is being acted', async () => {
      const { run } = await admit();
      const claimed = await scene.claim();
      expect(await admit({ whenBusy: 'steer' })).toMatchObject({ outcome: 'steered', run });
      const appended = await service.runLog.append(scene.held(claimed), scene.addition(claimed, []));
      expect(appended).toMatchObject({ outcome: 'written', facts: [{ body: { kind: 'steer' } }] });
    });

    it('supersedes a run that waits for a person', async () => {
      const { run: first } = await admit();
      await scene.park(await scene.claim(), [question()], { waitingFor: 'person', dueAt: null });
      await expect(admit({ whenBusy: 'interrupt' })).rejects.toMatchObject({ code: 'illegal_state' });
      const { run: second } = await admit({ whenWaiting: 'supersede' });
      expect(await stateOf(first)).toBe('cancelled');
      expect((await scene.claim()).run).toBe(second);
      expect(await scene.log()).toEqual(['input', 'asked', 'answered', 'run_ended', 'input']);
    });
  });

  it('shows a tenant nothing of another one’s', async () => {
    const { run } = await admit();
    const foreign = newId(TenantId);
    await expect(service.bus.request(getRun, { tenant: foreign, id: run })).rejects.toMatchObject({
      code: 'not_found',
    });
    const body = { kind: 'cancel', reason: null, rewind: false } as const;
    const post = { ...scene.ref, tenant: foreign, run, fact: newId(RunId), body };
    await expect(service.bus.request(postFact, post)).rejects.toMatchObject({ code: 'not_found' });
    expect(await stateOf(run)).toBe('queued');
  });
});
