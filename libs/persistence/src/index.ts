export { AgentStore, type AgentQuery, type NewAgent, type Revised } from './agent/agent-store.js';
export { PostgresAgentStore } from './agent/postgres-agent-store.js';
export { BlobStore, type ByteRange, type Bytes, type StoredBlob } from './blob/blob-store.js';
export { PartBlobs } from './blob/part-blobs.js';
export { PostgresBlobStore } from './blob/postgres-blob-store.js';
export { ReferenceBlobStore } from './blob/reference-blob-store.js';
export { connectionConfig, type ConnectionOptions } from './connection.js';
export { createPool, type PoolOptions } from './database/pool.js';
export { createPrisma, type PrismaOptions, type TenantDatabase, type TenantTransaction } from './database/prisma.js';
export { InstanceLockError } from './embedded/instance-lock.js';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded/start-embedded-postgres.js';
export { DATABASE_APPS, ensureLogins, loginOf, type DatabaseApp } from './migrations/app-logins.js';
export { assertMigrated, migrate, type MigrateOptions } from './migrations/migrate.js';
export { MigrationError } from './migrations/migration-error.js';
export { checksumOf, MIGRATIONS_DIRECTORY, readMigrations, type Migration } from './migrations/migration-folder.js';
export { additionOf, type Draft } from './run-log/addition.js';
export * from './run-log/run-log.js';
export { takingOver } from './run-log/taking-over.js';
export { PostgresSessionStore } from './session/postgres-session-store.js';
export { SessionStore, type NewSession, type SessionDescription, type SessionQuery } from './session/session-store.js';
export { createCluster } from './server/create-cluster.js';
export { freePort } from './server/free-port.js';
export { type PostgresServer } from './server/postgres-server.js';
export { serverUrl, stopServer, type Postmaster } from './server/postmaster.mjs';
export { usableBinaries, type ServerBinaries } from './server/server-binaries.js';
export { DISPOSABLE_SETTINGS } from './server/server-settings.js';
export { mayExecute, serverUser, type ServerUser } from './server/server-user.js';
export { findServer, ServerStartError, startServer } from './server/start-server.js';
export * from './run-log/postgres/postgres-run-log.js';
export { ReferenceRunLog } from './run-log/reference/reference-run-log.js';
export { Tables } from './run-log/reference/tables.js';
