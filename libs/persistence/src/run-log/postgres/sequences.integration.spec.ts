import { createTestDatabase, postgresServers } from '@parley/testing';
import { referenceSubject } from '../sequences/reference-subject.js';
import { Comparison } from '../sequences/sequences.contract.js';
import { PostgresSubject } from './postgres-subject.js';

describe.each(postgresServers)('random sequences of verbs on $name', (server) => {
  it('give the answers that the reference gives', async () => {
    const database = await createTestDatabase(server, { migrated: true });
    const subject = await PostgresSubject.open(database.url);
    try {
      await new Comparison([referenceSubject(), subject]).run({ numRuns: 300 });
    } finally {
      await subject.close();
      await database.drop();
    }
  }, 900_000);
});
