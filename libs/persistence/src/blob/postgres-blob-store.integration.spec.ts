import {
  AgentId,
  BlobId,
  type BlobRef,
  DEFAULT_BUDGET,
  type InputPart,
  newId,
  RunId,
  SessionId,
  TenantId,
} from '@parley/core';
import { createTestDatabase, postgresServers } from '@parley/testing';
import { Pool } from 'pg';
import { PostgresAgentStore } from '../agent/postgres-agent-store.js';
import { createPrisma } from '../database/prisma.js';
import { PostgresRunLog } from '../run-log/postgres/postgres-run-log.js';
import { PostgresSessionStore } from '../session/postgres-session-store.js';
import { collected, describeBlobStore, sampleBytes } from './blob-store.contract.js';
import { PostgresBlobStore } from './postgres-blob-store.js';

const described = { name: 'x', description: null, metadata: {}, facets: {}, enabled: true };

const open = async (server: (typeof postgresServers)[number]) => {
  const test = await createTestDatabase(server, { migrated: true });
  const stores = createPrisma(test.url, { applicationName: 'spec', role: 'parley_store', max: 2 });
  const database = createPrisma(test.url, { applicationName: 'spec', role: 'parley_blob', max: 2 });
  const log = PostgresRunLog.connect(test.url, 'spec');
  const admin = new Pool({ connectionString: test.url, max: 1 });
  const agents = new PostgresAgentStore(stores);
  const sessions = new PostgresSessionStore(stores);
  const makeSession = async (tenant: TenantId): Promise<{ session: SessionId; agent: AgentId }> => {
    const [session, agent] = [newId(SessionId), newId(AgentId)];
    const model = { handle: 'simulator/sim-1-0', parameters: {} };
    const definition = { ...described, instructions: [], model, budget: DEFAULT_BUDGET };
    await agents.create(tenant, { id: agent, key: `a-${agent}`.slice(0, 50), definition });
    await sessions.create(tenant, { id: session, agent, key: 'x', ...described });
    return { session, agent };
  };
  return {
    blobs: new PostgresBlobStore(database),
    log,
    admin,
    database,
    makeSession,
    close: async () => {
      await Promise.all([log.close(), stores.close(), database.close(), admin.end()]);
      await test.drop();
    },
  };
};

for (const server of postgresServers) {
  describeBlobStore(`PostgresBlobStore on ${server.name}`, async () => {
    const form = await open(server);
    return { ...form, makeSession: async (tenant) => (await form.makeSession(tenant)).session };
  });
}

describe.each(postgresServers)('a blob on $name', (server) => {
  let form: Awaited<ReturnType<typeof open>>;
  const tenant = newId(TenantId);
  let session: SessionId;
  let agent: AgentId;

  beforeAll(async () => {
    form = await open(server);
  });
  afterAll(() => form.close());
  beforeEach(async () => {
    ({ session, agent } = await form.makeSession(tenant));
  });

  const store = async (): Promise<BlobRef> => {
    const id = newId(BlobId);
    const { size } = await form.blobs.put({ tenant, session }, id, [sampleBytes(600_000)]);
    return { id, size };
  };
  const part = (blob: BlobRef): InputPart => ({ type: 'text', text: 'The beginning', blob, origin: 'user' });
  const admit = (parts: InputPart[], whenBusy: 'defer' | 'steer' = 'defer') => {
    const policies = { whenBusy, whenWaiting: 'defer' as const };
    return form.log.admit({
      tenant,
      session,
      agent,
      id: newId(RunId),
      version: 1,
      budget: DEFAULT_BUDGET,
      parts,
      ...policies,
    });
  };
  const rows = async (): Promise<{ blobs: string[]; chunks: number }> => {
    const blobs = await form.admin.query<{ id: string }>('select id from blobs where session = $1', [session]);
    const chunks = await form.admin.query('select from blob_chunks where session = $1', [session]);
    return { blobs: blobs.rows.map(({ id }) => id).sort(), chunks: chunks.rowCount ?? 0 };
  };
  const age = (): Promise<unknown> => form.admin.query(`update blobs set stored_at = stored_at - interval '2 days'`);
  const sweep = async (): Promise<void> => {
    while ((await form.log.sweepBlobs(24 * 3_600_000)).more);
  };

  it('goes with its session', async () => {
    const blob = await store();
    await admit([part(blob)]);
    expect(await rows()).toEqual({ blobs: [blob.id], chunks: 3 });
    expect(await form.log.remove({ tenant, session })).toBe('removed');
    expect(await rows()).toEqual({ blobs: [], chunks: 0 });
  });

  it('cannot be stored for a session that does not exist', async () => {
    const attempt = form.blobs.put({ tenant, session: newId(SessionId) }, newId(BlobId), [sampleBytes(10)]);
    await expect(attempt).rejects.toMatchObject({ code: 'not_found', details: { noun: 'session' } });
  });

  it('goes with the words that stand in it when they are erased, and no other does', async () => {
    const [erased, kept] = [await store(), await store()];
    await admit([part(erased), part(kept)]);
    const address = { tenant, session };
    expect(await form.log.hide({ ...address, parts: [{ seq: 1, part: 0 }] })).toBe('edited');
    expect((await rows()).blobs).toHaveLength(2);
    expect(await form.log.erase({ ...address, parts: [{ seq: 1, part: 0 }] })).toBe('edited');
    expect(await rows()).toEqual({ blobs: [kept.id], chunks: 3 });
    const page = await form.log.read(address, { after: 0, limit: 1 });
    expect(page?.events[0]?.body).toMatchObject({ parts: [{ type: 'text', text: null, origin: 'user' }, part(kept)] });
    expect(JSON.stringify(await form.log.look(address))).not.toContain(erased.id);
    const row = await form.admin.query('select parts from runs where session = $1', [session]);
    expect(JSON.stringify(row.rows)).not.toContain(erased.id);
  });

  it('that nothing in the log names is swept when it is old; one that an event, a run or a fact names is not', async () => {
    const [orphan, inEvent, inRun, inFact] = [await store(), await store(), await store(), await store()];
    await admit([part(inEvent)]);
    await admit([part(inRun)]);
    const executor = await form.log.register();
    await form.log.claim(executor, 1);
    const steered = await admit([part(inFact)], 'steer');
    expect(steered.outcome).toBe('steered');
    await sweep();
    expect((await rows()).blobs).toHaveLength(4);
    await age();
    await sweep();
    expect((await rows()).blobs).toEqual([inEvent.id, inRun.id, inFact.id].sort());
    expect((await rows()).blobs).not.toContain(orphan.id);
    await form.log.retire(executor);
  });

  it('that is stored again is not swept: its words may be on their way', async () => {
    const { id } = await store();
    await age();
    await form.blobs.put({ tenant, session }, id, []);
    await sweep();
    expect((await collected(form.blobs.read({ tenant, session }, id))).equals(sampleBytes(600_000))).toBe(true);
  });

  it('is all that its role sees, and that of one tenant', async () => {
    await store();
    const other = newId(TenantId);
    const seen = await form.database.inTenant(other, (tx) => tx.$queryRaw<unknown[]>`select id from blobs`);
    expect(seen).toEqual([]);
    for (const table of ['sessions', 'events', 'runs', 'inbox', 'agents', 'agent_versions']) {
      const attempt = form.database.inTenant(tenant, (tx) => tx.$queryRawUnsafe(`select * from ${table}`));
      await expect(attempt).rejects.toThrow(/denied/);
    }
    const removal = form.database.inTenant(tenant, (tx) => tx.$executeRaw`delete from blobs`);
    await expect(removal).rejects.toThrow(/denied/);
  });
});
