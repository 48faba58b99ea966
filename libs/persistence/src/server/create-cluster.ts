import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../thrown.js';
import { spawnIdentity, type PostgresServer } from './postgres-server.js';
import { SERVER_LOGIN, serverFiles } from './postmaster.mjs';

/**
 * Makes the server's folder and cluster unless it has one, telling `onCreate` before; answers whether it did. All of it
 * is made aside and moved into place in one step: a process that dies half way, or two at once, leave one whole cluster
 * or none. Rejects where the folder holds a cluster of another major version.
 */
export async function createCluster(server: PostgresServer, onCreate: () => void = () => {}): Promise<boolean> {
  if (await hasCluster(server)) return false;
  onCreate();
  await removeAbandonedDrafts(server.directory);
  const draft = `${server.directory}.draft-${process.pid}-${randomBytes(4).toString('hex')}`;
  await makeFolders(draft, server);
  await initialize(draft, server);
  try {
    await rename(draft, server.directory);
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (await hasCluster(server)) return false;
    throw error;
  }
}

async function hasCluster({ directory, binaries }: PostgresServer): Promise<boolean> {
  const path = join(serverFiles(directory).data, 'PG_VERSION');
  const version = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (version !== '' && Number(version) !== binaries.majorVersion) {
    throw new Error(
      `${directory} holds a database of Postgres ${version}, this build brings Postgres ${binaries.majorVersion}: ` +
        `move its data over with pg_dump, or name another folder`,
    );
  }
  return version !== '';
}

async function makeFolders(draft: string, { user }: PostgresServer): Promise<void> {
  const files = serverFiles(draft);
  await mkdir(dirname(draft), { recursive: true });
  for (const folder of [draft, files.data, files.socket]) {
    await mkdir(folder);
    await own(folder, 0o700, user);
  }
  await writeFile(files.password, randomBytes(24).toString('base64url'), { mode: 0o600 });
  await own(files.password, 0o600, user);
}

/** Sets the mode whatever our umask is. */
async function own(path: string, mode: number, user: PostgresServer['user']): Promise<void> {
  await chmod(path, mode);
  if (user) await chown(path, user.uid, user.gid);
}

async function initialize(draft: string, { binaries, user, initOptions = [] }: PostgresServer): Promise<void> {
  const files = serverFiles(draft);
  const options = [
    `--pgdata=${files.data}`,
    `--username=${SERVER_LOGIN}`,
    `--pwfile=${files.password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--no-instructions',
    ...localeOptions(binaries.majorVersion),
    ...initOptions,
  ];
  try {
    await promisify(execFile)(join(binaries.directory, 'initdb'), options, spawnIdentity(user));
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Text sorts by code point, the same on every machine; case mapping knows all of Unicode where the server brings it. */
function localeOptions(majorVersion: number): string[] {
  if (majorVersion < 17) return ['--locale=C.UTF-8'];
  return ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
}

async function removeAbandonedDrafts(directory: string): Promise<void> {
  const prefix = `${basename(directory)}.draft-`;
  const names = await readdir(dirname(directory)).catch(() => []);
  const drafts = names.filter(
    (name) => name.startsWith(prefix) && !isAlive(Number.parseInt(name.slice(prefix.length), 10)),
  );
  await Promise.all(drafts.map((name) => discard(join(dirname(directory), name))));
}

/** What cannot be removed now, since the initdb of a killed process still writes there, is removed another time. */
async function discard(draft: string): Promise<void> {
  await rm(draft, { recursive: true, force: true }).catch(() => {});
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Not ours to signal, but alive.
    return errorCode(error) === 'EPERM';
  }
}
