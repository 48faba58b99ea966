import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorCode } from '../thrown.js';

/** A system user that a server process runs as. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const CANDIDATES = ['postgres', 'nobody'];

/**
 * The user a Postgres server must run as when we are root, which it refuses: `postgres` where the system has one, else
 * `nobody`. Undefined where we are not root: then it runs as we do. Rejects where root finds neither.
 */
export async function serverUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = parsePasswd(await readFile('/etc/passwd', 'utf8'));
  for (const name of CANDIDATES) {
    const user = users.get(name);
    if (user) return user;
  }
  throw new Error(`Postgres does not run as root, and this system has no user ${CANDIDATES.join(' or ')}`);
}

/** Whether that user may search a folder or execute a file, with every folder above it. */
export async function mayExecute(path: string, user: ServerUser | undefined): Promise<boolean> {
  const identity = user ? { uid: user.uid, gid: user.gid } : {};
  try {
    // Asking the kernel as that user also honours access lists and mounts, which mode bits do not show.
    await promisify(execFile)('test', ['-x', path], { cwd: '/', ...identity });
    return true;
  } catch (error) {
    if (errorCode(error) === 1) return false;
    throw error;
  }
}

function parsePasswd(text: string): Map<string, ServerUser> {
  const users = new Map<string, ServerUser>();
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name && uid && gid) users.set(name, { name, uid: Number(uid), gid: Number(gid) });
  }
  return users;
}
