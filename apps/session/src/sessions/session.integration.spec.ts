import {
  admitRun,
  createSession,
  deleteSession,
  getRun,
  getRunStates,
  getSession,
  listSessions,
  postFact,
  readLog,
  updateSession,
} from '@parley/contracts';
import { type EventBody, FactId, newId, RunId, SessionId, TenantId } from '@parley/core';
import { postgresServers } from '@parley/testing';
import { Scene, startSessionService, words } from '../session-service.contract.js';

describe.each(postgresServers.slice(-1))('the session service on the bus', (server) => {
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

  const described = { name: 'A', description: null, metadata: { a: 1 }, facets: {}, enabled: true };

  it('makes, finds, lists and changes sessions', async () => {
    const { tenant, agent } = scene;
    const id = newId(SessionId);
    const made = await service.bus.request(createSession, { tenant, id, agent, key: 'a', ...described });
    expect(made).toMatchObject({ id, agent, key: 'a', ...described, active: null });
    expect(await service.bus.request(getSession, { tenant, session: { agent, key: 'a' } })).toEqual(made);
    const { items } = await service.bus.request(listSessions, { tenant, agent, limit: 10 });
    expect(items.map((session) => session.id)).toEqual([id, scene.session]);
    const changed = await service.bus.request(updateSession, { tenant, id, change: { name: 'B' } });
    expect(changed).toMatchObject({ ...described, name: 'B' });
    const unknown = newId(SessionId);
    const missing = [
      () => service.bus.request(getSession, { tenant, session: { id: unknown } }),
      () => service.bus.request(updateSession, { tenant, id: unknown, change: {} }),
      () => service.bus.request(deleteSession, { tenant, id: unknown }),
      () => service.bus.request(readLog, { tenant, session: unknown, after: 0, limit: 1 }),
      () => service.bus.request(getSession, { tenant: newId(TenantId), session: { id } }),
      () => service.bus.request(deleteSession, { tenant: newId(TenantId), id }),
    ];
    for (const ask of missing) await expect(ask()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('refuses a field that is too large for a page before it is kept, and names it with its limit', async () => {
    const { tenant, agent } = scene;
    const asked = { tenant, id: newId(SessionId), agent, key: 'a', ...described };
    const full = { notes: 'x'.repeat(131_000) };
    const fields = { metadata: full, facets: { vectara: full }, description: full.notes };
    await service.bus.request(createSession, asked);
    const changed = await service.bus.request(updateSession, { tenant, id: asked.id, change: fields });
    expect((await service.bus.request(listSessions, { tenant, agent, limit: 1 })).items).toEqual([changed]);
    const over = { notes: 'x'.repeat(131_072) };
    const refusal = (path: string) => ({
      code: 'too_large',
      details: { issues: [{ path, message: expect.stringContaining('at most 131072') }] },
    });
    const update = { tenant, id: asked.id, change: { facets: { vectara: over } } };
    await expect(service.bus.request(updateSession, update)).rejects.toMatchObject(refusal('facets'));
    expect(await service.bus.request(getSession, { tenant, session: { id: asked.id } })).toEqual(changed);
    const other = { ...asked, id: newId(SessionId), key: 'b', metadata: over };
    await expect(service.bus.request(createSession, other)).rejects.toMatchObject(refusal('metadata'));
    const missing = service.bus.request(getSession, { tenant, session: { agent, key: 'b' } });
    await expect(missing).rejects.toMatchObject({ code: 'not_found' });
  });

  const isGone = async (): Promise<boolean> => {
    const { tenant, session } = scene;
    return await service.bus.request(getSession, { tenant, session: { id: session } }).then(
      () => false,
      (error: unknown) => error instanceof Error,
    );
  };

  it('removes an idle session with its log and its runs', async () => {
    const { run } = await service.bus.request(admitRun, scene.admission());
    await scene.finish(await scene.claim(), 'succeeded');
    await service.bus.request(deleteSession, { tenant: scene.tenant, id: scene.session });
    expect(await isGone()).toBe(true);
    await expect(service.bus.request(getRun, { tenant: scene.tenant, id: run })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('removes a session whose run is held, and that has others in line', async () => {
    await service.bus.request(admitRun, scene.admission());
    const claimed = await scene.claim();
    await service.bus.request(admitRun, scene.admission({ whenBusy: 'defer' }));
    await service.bus.request(deleteSession, { tenant: scene.tenant, id: scene.session });
    expect(await isGone()).toBe(true);
    expect(await scene.finish(claimed, 'succeeded')).toEqual({ outcome: 'fenced' });
  });

  it('reads the log in pages that follow on each other', async () => {
    for (const text of ['one', 'two', 'three']) {
      await service.bus.request(admitRun, scene.admission({ parts: words(text) }));
      await scene.finish(await scene.claim(), 'succeeded');
    }
    const read = (after: number) => service.bus.request(readLog, { ...scene.ref, after, limit: 4 });
    const first = await read(0);
    expect(first).toMatchObject({ more: true, spans: [[1, null]], active: null });
    const second = await read(4);
    expect(second.more).toBe(false);
    const all = [...first.events, ...second.events];
    expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(all[2]).toMatchObject({ body: { kind: 'input', parts: words('two') }, at: expect.any(Date), hidden: [] });
    expect(await read(6)).toMatchObject({ events: [], more: false });
  });

  it('closes a page of the log at 512 KiB', async () => {
    for (let n = 0; n < 3; n++) {
      await service.bus.request(admitRun, scene.admission({ parts: words('x'.repeat(300_000)) }));
      await scene.finish(await scene.claim(), 'succeeded');
    }
    const page = await service.bus.request(readLog, { ...scene.ref, after: 0, limit: 1_000 });
    expect(page.events.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(page.more).toBe(true);
  });

  it('counts on a page of the log how text was shown, too', async () => {
    await service.bus.request(admitRun, scene.admission());
    const claimed = await scene.claim();
    const usage = { input: 1, cachedInput: 0, output: 1, reasoning: 0, estimated: false };
    const parts = [{ type: 'text' as const, text: 'x', origin: 'model' as const }];
    const replies = [1, 2, 3].map((round): EventBody => ({
      ...{ kind: 'model_replied', round, parts, usage, model: 'm', finish: 'stop' },
    }));
    const addition = scene.addition(claimed, replies);
    const cuts = Array.from({ length: 15_000 }, (_, n): [number, number, number] => [n + 1, 0, 1]);
    const events = addition.events.map((one) => ({ ...one, live: { after: 1, cuts } }));
    await service.runLog.append(scene.held(claimed), { ...addition, events });
    const first = await service.bus.request(readLog, { ...scene.ref, after: 0, limit: 1_000 });
    expect(first.events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(first.more).toBe(true);
    const second = await service.bus.request(readLog, { ...scene.ref, after: 3, limit: 1_000 });
    expect(second.events).toMatchObject([{ seq: 4, live: { cuts } }]);
    expect(second.more).toBe(false);
  });

  it('refuses words in more pieces than a page of the log may hold, before the run is admitted', async () => {
    const parts = Array.from({ length: 14_000 }, () => words('x')).flat();
    const refusal = { code: 'too_large', message: expect.stringContaining('at most 524288') };
    await expect(service.bus.request(admitRun, scene.admission({ parts }))).rejects.toMatchObject(refusal);
    const { run } = await service.bus.request(admitRun, scene.admission());
    const fact = { ...scene.ref, run, fact: newId(FactId), body: { kind: 'steer' as const, parts } };
    await expect(service.bus.request(postFact, fact)).rejects.toMatchObject(refusal);
    expect(await scene.log()).toEqual(['input']);
  });

  it('says where many runs stand, and leaves out what is not there', async () => {
    const { run } = await service.bus.request(admitRun, scene.admission());
    const { tenant } = scene;
    const ask = [
      { tenant, run },
      { tenant, run: newId(RunId) },
      { tenant: newId(TenantId), run },
    ];
    expect(await service.bus.request(getRunStates, { runs: ask })).toEqual({
      runs: [{ tenant, run, state: 'queued', reason: null, seq: 1 }],
    });
    await scene.finish(await scene.claim(), 'succeeded');
    expect(await service.bus.request(getRunStates, { runs: ask })).toEqual({
      runs: [{ tenant, run, state: 'succeeded', reason: null, seq: 2 }],
    });
  });
});
