import type { ServerBinaries } from './server-binaries.js';
import type { ServerUser } from './server-user.js';

/** A server of our own and its folder: `data` (the cluster), `password`, `socket` and `server.log`. */
export interface PostgresServer {
  readonly directory: string;
  readonly binaries: ServerBinaries;
  /** Who it runs as; undefined: as we do. */
  readonly user: ServerUser | undefined;
  /** Its port on 127.0.0.1; without one it listens on its private socket only. */
  readonly port?: number;
  /** Postgres' own names and values, over SERVER_SETTINGS. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** More for `initdb`, over what createCluster passes. */
  readonly initOptions?: readonly string[];
}

/** How a child process takes the server's identity, and nothing of our environment, which holds secrets. */
export function spawnIdentity(user: ServerUser | undefined) {
  return { cwd: '/', env: { LC_ALL: 'C' }, ...(user ? { uid: user.uid, gid: user.gid } : {}) };
}
