import { DEFAULT_BUDGET, newId, TenantId, type Head } from '@parley/core';
import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import pg from 'pg';
import { agentId, runId, sessionId } from '../sequences/subject.contract.js';
import { type ExecutorId } from '../run-log.js';
import { PostgresSubject } from './postgres-subject.contract.js';

const words = [{ type: 'text' as const, text: 'hello', origin: 'user' as const }];

/** Who gets which run, and when an executor counts as dead. */
describe.each(postgresServers)('runs and their executors on $name', (server) => {
  let database: TestDatabase;
  let subject: PostgresSubject;
  let owner: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase(server, { migrated: true });
    subject = await PostgresSubject.open(database.url);
    owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
  });

  afterEach(() => owner.query('delete from runs; delete from executors'));

  afterAll(async () => {
    await owner.end();
    await subject.close();
    await database.drop();
  });

  /** A tenant with so many sessions, and in each a run that is queued, or held by an executor. */
  const tenantWith = async (runs: number, executor?: ExecutorId): Promise<TenantId> => {
    const tenant = newId(TenantId);
    const sessions = Array.from({ length: runs }, (_, n) => ({ id: sessionId(n), agent: agentId(1), enabled: true }));
    await subject.furnish(tenant, { agents: [{ id: agentId(1), version: 1, enabled: true }], sessions });
    const policy = { whenBusy: 'reject' as const, whenWaiting: 'reject' as const };
    for (const [n, { id: session }] of sessions.entries()) {
      const run = { id: runId(n), agent: agentId(1), version: 1, parts: words, budget: DEFAULT_BUDGET };
      await subject.log.admit({ tenant, session, ...run, ...policy, executor });
    }
    return tenant;
  };

  const tenantsOf = async (claimed: Promise<{ tenant: TenantId }[]>): Promise<TenantId[]> =>
    (await claimed).map(({ tenant }) => tenant);

  it('go first to the tenant that has least running, then by time', async () => {
    const executor = await subject.log.register();
    const busy = await tenantWith(2, executor);
    const many = await tenantWith(3);
    await owner.query(`update runs set state = 'queued', executor = null, due_at = now() - interval '1 h'
                        where tenant = '${busy}' and session = '${sessionId(1)}'`);
    const late = await tenantWith(1);
    expect((await tenantsOf(subject.log.claim(executor, 2))).sort()).toEqual([many, late].sort());
    expect(await tenantsOf(subject.log.claim(executor, 1))).toEqual([busy]);
    expect(await tenantsOf(subject.log.claim(executor, 9))).toEqual([many, many]);
  });

  it('are not claimed before they are due', async () => {
    const executor = await subject.log.register();
    const tenant = await tenantWith(1);
    await subject.elapse(tenant, -60_000);
    expect(await subject.log.claim(executor, 1)).toEqual([]);
    await subject.elapse(tenant, 60_000);
    expect(await tenantsOf(subject.log.claim(executor, 1))).toEqual([tenant]);
  });

  it('are reclaimed when a connection dies, but not when the server has restarted since', async () => {
    const [dead, living] = [await subject.log.register(), await subject.log.register()];
    const tenant = await tenantWith(1, dead);
    await owner.query(`update executors set boot = boot - interval '1 s' where id = ${dead}`);
    await subject.kill(dead);
    expect(await subject.log.reclaim(living, 'dead')).toEqual([]);
    await owner.query(`update executors set boot = boot + interval '1 s' where id = ${dead}`);
    expect(await subject.log.reclaim(living, 'dead')).toMatchObject([{ tenant, run: runId(0) }]);
  });

  it('are reclaimed when a lease has run out, whoever still holds its lock', async () => {
    const [silent, living] = [await subject.log.register(), await subject.log.register()];
    const tenant = await tenantWith(1, silent);
    expect(await subject.log.reclaim(living, 'dead')).toEqual([]);
    await owner.query(`update executors set lease_until = now() - interval '1 ms' where id = ${silent}`);
    expect(await subject.log.reclaim(living, 'dead')).toMatchObject([{ tenant, run: runId(0) }]);
    expect(await subject.log.heartbeat(silent)).toMatchObject({ alive: false, held: [] });
  });

  it('are written together in one tick; one that is not its writer’s any more does not hinder the others', async () => {
    const executor = await subject.log.register();
    const tenant = await tenantWith(3, executor);
    await owner.query(`update runs set epoch = epoch + 1 where tenant = '${tenant}' and id = '${runId(1)}'`);
    const head = async (n: number): Promise<Head | undefined> =>
      (await subject.log.look({ tenant, session: sessionId(n) }))?.head;
    const heads = await Promise.all([0, 1, 2].map(head));
    const written = await Promise.all(
      heads.map((known, n) => {
        if (!known) throw new Error('no head');
        const held = { tenant, session: sessionId(n), run: runId(n), executor, epoch: 1 };
        const body = { kind: 'restarted' as const, round: 1 };
        const next = { ...known, seq: known.seq + 1 };
        return subject.log.append(held, { seq: known.seq, events: [{ body }], head: next, taken: [], left: [] });
      }),
    );
    expect(written.map(({ outcome }) => outcome)).toEqual(['written', 'fenced', 'written']);
  });
});
