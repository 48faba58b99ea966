import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  createCluster,
  migrate,
  serverUrl,
  serverUser,
  startEmbeddedPostgres,
  startServer,
  stopServer,
  type PostgresServer,
} from '@parley/persistence';
import { type Rig } from './rig.js';

/** A migrated, empty database on a server of its own that flushes to disk. */
export interface Database {
  /** Of the server, e.g. `Postgres 18`. */
  name: string;
  url: string;
}

/** Debian's package; the least version that Parley supports. */
const DEBIAN = { directory: '/usr/lib/postgresql/15/bin', majorVersion: 15 };

/** The server that standalone brings, as standalone starts it. */
export const startEmbedded = async (rig: Rig): Promise<Database> => {
  const onLost = (error: unknown): never => {
    throw new Error('the database was lost', { cause: error });
  };
  const server = await startEmbeddedPostgres({ directory: rig.freshFolder('embedded'), onLost });
  rig.owns(() => server.stop());
  await migrate(server.url);
  return { name: 'Postgres 18', url: server.url };
};

/** The least server that Parley runs on; undefined where the machine has none. */
export const startDebian = async (rig: Rig): Promise<Database | undefined> => {
  if (!existsSync(join(DEBIAN.directory, 'postgres'))) return undefined;
  const server: PostgresServer = { directory: rig.freshFolder('debian'), binaries: DEBIAN, user: await serverUser() };
  await createCluster(server);
  const postmaster = await startServer(server);
  rig.owns(() => stopServer(server.directory));
  const url = await serverUrl(server.directory, postmaster, 'postgres');
  await migrate(url);
  return { name: 'Postgres 15', url };
};
