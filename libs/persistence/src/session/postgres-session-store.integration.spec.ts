import { AgentId, DEFAULT_BUDGET, newId, SessionId, TenantId } from '@parley/core';
import { createTestDatabase, postgresServers } from '@parley/testing';
import { PostgresAgentStore } from '../agent/postgres-agent-store.js';
import { createPrisma, type TenantDatabase } from '../database/prisma.js';
import { PostgresRunLog } from '../run-log/postgres/postgres-run-log.js';
import { PostgresSessionStore } from './postgres-session-store.js';
import { describeSessionStore, type SessionStoreForm } from './session-store.contract.js';

const open = async (
  server: (typeof postgresServers)[number],
): Promise<SessionStoreForm & { database: TenantDatabase }> => {
  const test = await createTestDatabase(server, { migrated: true });
  const database = createPrisma(test.url, { applicationName: 'spec', role: 'parley_store', max: 4 });
  const runLog = PostgresRunLog.connect(test.url, 'spec');
  return {
    database,
    runLog,
    sessions: new PostgresSessionStore(database),
    agents: new PostgresAgentStore(database),
    close: async () => {
      await Promise.all([runLog.close(), database.close()]);
      await test.drop();
    },
  };
};

for (const server of postgresServers)
  describeSessionStore(`PostgresSessionStore on ${server.name}`, () => open(server));

describe.each(postgresServers)('the role of the stores on $name', (server) => {
  it('can neither write the log’s columns nor remove a session nor read runs whole', async () => {
    const form = await open(server);
    const tenant = newId(TenantId);
    const id = newId(SessionId);
    const described = { name: 'x', description: null, metadata: {}, facets: {}, enabled: true };
    const model = { handle: 'simulator/sim-1-0', parameters: {} };
    const definition = { ...described, instructions: [], model, budget: DEFAULT_BUDGET };
    const { agent } = await form.agents.create(tenant, { id: newId(AgentId), key: 'x', definition });
    await form.sessions.create(tenant, { id, agent, key: 'x', ...described });
    const forbidden = [
      'update sessions set next_seq = 7',
      'update sessions set active_run = gen_random_uuid()',
      'update sessions set key = $$y$$',
      'delete from sessions',
      'select parts from runs',
      'select * from events',
      'select * from inbox',
    ];
    for (const statement of forbidden) {
      const attempt = form.database.inTenant(tenant, (tx) => tx.$executeRawUnsafe(statement));
      await expect(attempt).rejects.toThrow(/denied/);
    }
    expect(await form.sessions.find(tenant, { id })).toMatchObject({ key: 'x' });
    await form.close();
  });
});
