import { createHash } from 'node:crypto';
import { chmod, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePort } from '../server/free-port.js';
import type { PostgresServer } from '../server/postgres-server.js';
import { usableBinaries } from '../server/server-binaries.js';
import { mayExecute, serverUser, type ServerUser } from '../server/server-user.js';
import { fitsSocket } from '../server/start-server.js';

/** Where the server of a folder that its user cannot enter is kept instead, by the folder's hash. */
const SYSTEM_DIRECTORY = '/var/lib/parley';

interface Location {
  /** The server's folder. */
  readonly directory: string;
  readonly user: ServerUser | undefined;
}

/**
 * Decides where the database of a data folder lives and who runs it. Under root that user is not root, and may be shut
 * out of the folder (a clone in a private home): then the database lives in /var/lib/parley, and `say` is told.
 * A database that exists stays where it is and with its owner.
 */
export async function locateServer(dataFolder: string, say: (message: string) => void): Promise<PostgresServer> {
  await mkdir(dataFolder, { recursive: true });
  const inPlace = join(await realpath(dataFolder), 'postgres');
  const location = (await existing(inPlace)) ?? (await existing(elsewhere(inPlace))) ?? (await fresh(inPlace, say));
  const binaries = await usableBinaries({
    user: location.user,
    copyTo: dirname(location.directory),
    onCopy: (folder) => say(`copying the database's programs to ${folder}, where its user can run them`),
  });
  const listen = fitsSocket(location.directory) ? {} : { port: await freePort() };
  return { ...location, binaries, ...listen };
}

async function existing(directory: string): Promise<Location | undefined> {
  const owner = await stat(directory).catch(() => undefined);
  if (!owner) return undefined;
  const ourId = process.getuid?.();
  if (owner.uid === ourId) return { directory, user: undefined };
  if (ourId !== 0) {
    throw new Error(
      `${directory} belongs to user ${owner.uid}: start Parley as that user, or name another data folder`,
    );
  }
  const user = { name: String(owner.uid), uid: owner.uid, gid: owner.gid };
  if (await mayExecute(dirname(directory), user)) return { directory, user };
  throw new Error(`user ${owner.uid}, who owns ${directory}, can no longer enter ${dirname(directory)}`);
}

async function fresh(inPlace: string, say: (message: string) => void): Promise<Location> {
  const user = await serverUser();
  if (!user || (await mayExecute(dirname(inPlace), user))) return { directory: inPlace, user };
  const directory = elsewhere(inPlace);
  say(`the database runs as user ${user.name}, who cannot enter ${dirname(inPlace)}: keeping it in ${directory}`);
  for (const folder of [SYSTEM_DIRECTORY, dirname(directory)]) {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
  }
  return { directory, user };
}

function elsewhere(inPlace: string): string {
  const hash = createHash('sha256').update(inPlace).digest('hex').slice(0, 16);
  return join(SYSTEM_DIRECTORY, hash, 'postgres');
}
