import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { postgresWorld } from './postgres-world.contract.js';
import { describeRunBudget } from './run-budget.contract.js';
import { describeRunLoop } from './run-loop.contract.js';

describe.each(postgresServers)('with a real database', (server) => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await createTestDatabase(server, { migrated: true });
  });

  afterAll(() => test.drop());

  describeRunLoop(server.name, () => postgresWorld(test.url));
  describeRunBudget(server.name, () => postgresWorld(test.url));
});
