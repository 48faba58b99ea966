import { newId, SessionId } from '@parley/core';
import { createTestDatabase, postgresServers } from '@parley/testing';
import { createPrisma } from '../database/prisma.js';
import { PostgresSessionStore } from '../session/postgres-session-store.js';
import { describeAgentStore } from './agent-store.contract.js';
import { PostgresAgentStore } from './postgres-agent-store.js';

for (const server of postgresServers) {
  describeAgentStore(`PostgresAgentStore on ${server.name}`, async () => {
    const test = await createTestDatabase(server, { migrated: true });
    const database = createPrisma(test.url, { applicationName: 'spec', role: 'parley_store', max: 4 });
    const sessions = new PostgresSessionStore(database);
    return {
      agents: new PostgresAgentStore(database),
      addSession: async (tenant, agent) => {
        const described = { name: 'one', description: null, metadata: {}, facets: {}, enabled: true };
        await sessions.create(tenant, { id: newId(SessionId), agent, key: 'one', ...described });
      },
      close: async () => {
        await database.close();
        await test.drop();
      },
    };
  });
}
