import { createTestDatabase, postgresServers, type TestDatabase } from '@parley/testing';
import { describeDeadLetters } from '../dead-letters.contract.js';
import { PostgresSubject } from './postgres-subject.contract.js';

describe.each(postgresServers)('dead letters on $name', (server) => {
  let database: TestDatabase;
  let subject: PostgresSubject;

  afterAll(async () => {
    await subject.close();
    await database.drop();
  });

  describeDeadLetters(async () => {
    database = await createTestDatabase(server, { migrated: true });
    return (subject = await PostgresSubject.open(database.url));
  });
});
