export { createTestDatabase, postgresServers, type TestDatabase } from './servers/test-database.js';
export { type TestPostgresServer } from './config.js';
