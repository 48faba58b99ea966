import { AgentId, DEFAULT_BUDGET, FactId, newId, RunId, SessionId, TenantId, type FrameBatch } from '@parley/core';
import { InProcessFrames, InProcessPermits } from '@parley/messaging';
import { createPool, PostgresRunLog } from '@parley/persistence';
import { createTestDatabase, postgresServers } from '@parley/testing';
import { Announcer } from '../loop/announcer.js';
import { endOverdue } from './overdue-cancel.js';

describe.each(postgresServers)('a cancel that nobody heeds, on $name', (server) => {
  it('is named to every executor after 2 s, and the run is ended over its holder’s head', async () => {
    const database = await createTestDatabase(server, { migrated: true });
    const log = PostgresRunLog.connect(database.url);
    const owner = createPool(database.url, { applicationName: 'spec', max: 1 });
    const tenant = newId(TenantId);
    const agent = newId(AgentId);
    const ref = { tenant, session: newId(SessionId) };
    const [run, next] = [newId(RunId), newId(RunId)];
    await owner.query(
      `insert into agents (tenant, id, key, version, name, enabled) values ($1, $2, 'a', 1, 'a', true)`,
      [tenant, agent],
    );
    await owner.query(`insert into sessions (tenant, id, agent, key, name) values ($1, $2, $3, 's', 's')`, [
      tenant,
      ref.session,
      agent,
    ]);
    const [holder, other] = [await log.register(), await log.register()];
    const parts = [{ type: 'text' as const, text: 'hello', origin: 'user' as const }];
    const policy = { whenBusy: 'defer' as const, whenWaiting: 'defer' as const };
    const admission = { ...ref, agent, version: 1, parts, budget: DEFAULT_BUDGET, ...policy };
    await log.admit({ ...admission, id: run, executor: holder });
    await log.admit({ ...admission, id: next });
    const body = { kind: 'cancel' as const, reason: 'asked', rewind: false };
    await log.post(ref, { id: newId(FactId), run, body });
    expect((await log.heartbeat(other)).overdue).toEqual([]);

    await owner.query(`update inbox set posted_at = posted_at - interval '2 s'`);
    expect((await log.heartbeat(other)).overdue).toEqual([{ ...ref, run }]);
    const frames = new InProcessFrames();
    const heard: FrameBatch[] = [];
    frames.subscribe(ref, (batch) => heard.push(batch));
    await endOverdue({ log, announcer: new Announcer(frames, new InProcessPermits()) }, { ...ref, run });

    expect(await log.getRun(tenant, run)).toMatchObject({ state: 'cancelled', reason: 'asked', epoch: 2 });
    expect(await log.getRun(tenant, next)).toMatchObject({ state: 'queued' });
    expect((await log.heartbeat(holder)).held).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    const kinds = heard.flatMap(({ frames: all }) =>
      all.map((frame) => frame.kind === 'event' && frame.event.body.kind),
    );
    expect(kinds).toEqual(['restarted', 'run_ended', 'input']);
    await log.close();
    await owner.end();
    await database.drop();
  });
});
