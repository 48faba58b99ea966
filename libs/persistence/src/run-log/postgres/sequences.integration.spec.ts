import { createTestDatabase, postgresServers, type TestPostgresServer } from '@parley/testing';
import { referenceSubject } from '../sequences/reference-subject.contract.js';
import { Comparison } from '../sequences/sequences.contract.js';
import { PostgresSubject } from './postgres-subject.contract.js';

/** 10,000 over both servers. */
const SEQUENCES = 5_000;
/** Databases that are compared side by side: claim and reclaim see all of theirs. */
const LANES = 4;

describe.each(postgresServers)('random sequences of verbs on $name', (server) => {
  it('give the answers that the reference gives', async () => {
    await Promise.all(Array.from({ length: LANES }, () => compare(server, SEQUENCES / LANES)));
  }, 1_800_000);
});

const compare = async (server: TestPostgresServer, numRuns: number): Promise<void> => {
  const database = await createTestDatabase(server, { migrated: true });
  const subject = await PostgresSubject.open(database.url);
  try {
    await new Comparison([referenceSubject(), subject]).run({ numRuns });
  } finally {
    await subject.close();
    await database.drop();
  }
};
