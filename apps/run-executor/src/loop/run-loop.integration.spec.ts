import {
  createPrisma,
  PostgresAgentStore,
  PostgresRunLog,
  PostgresSessionStore,
  type TenantDatabase,
} from '@parley/persistence';
import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { describeRunLoop } from './run-loop.contract.js';
import { World } from './world.contract.js';

describe.each(postgresServers)('with a real database', (server) => {
  let test: TestDatabase;
  let database: TenantDatabase;

  beforeAll(async () => {
    test = await createTestDatabase(server, { migrated: true });
    database = createPrisma(test.url, { applicationName: 'spec', role: 'parley_store', max: 2 });
  });

  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  describeRunLoop(server.name, async () => {
    const sessions = new PostgresSessionStore(database);
    const described = { name: 'Hello', description: null, metadata: {}, facets: {}, enabled: true };
    const world: World = new World(PostgresRunLog.connect(test.url), async ({ tenant, session: id }) => {
      await sessions.create(tenant, { id, agent: world.agent, key: id, ...described });
    });
    const { agent: id, key, definition } = world.agentVersion();
    await new PostgresAgentStore(database).create(world.tenant, { id, key, definition });
    return world;
  });
});
