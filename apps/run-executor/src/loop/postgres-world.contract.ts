import { createPrisma, PostgresAgentStore, PostgresRunLog, PostgresSessionStore } from '@parley/persistence';
import { World } from './world.contract.js';

/** A world on a database that has the migrations, with an agent of its own. It is closed with `close`. */
export const postgresWorld = async (url: string): Promise<World> => {
  const database = createPrisma(url, { applicationName: 'spec', role: 'parley_store', max: 2 });
  const sessions = new PostgresSessionStore(database);
  const described = { name: 'Hello', description: null, metadata: {}, facets: {}, enabled: true };
  const world: World = new World(PostgresRunLog.connect(url), async ({ tenant, session: id }) => {
    await sessions.create(tenant, { id, agent: world.agent, key: id, ...described });
  });
  world.onClose(() => database.close());
  const { agent: id, key, definition } = world.agentVersion();
  await new PostgresAgentStore(database).create(world.tenant, { id, key, definition });
  return world;
};
