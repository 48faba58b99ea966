import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The process that stops a server whose Parley died. */
export interface OrphanWatch {
  /** Lets it do its work, as if we had died. */
  release(): void;
  /** Ends it without effect: the server is stopped already. */
  cancel(): void;
}

/** Starts it for the server in that folder, to act so long after our death. It is in a session of its own: it must outlive us and a Ctrl-C in our terminal. */
export function watchForOrphan(directory: string, graceMs: number): OrphanWatch {
  const script = fileURLToPath(new URL('./stop-orphan.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, directory, String(graceMs)], {
    cwd: '/',
    detached: true,
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  // Where it cannot be started, the server merely outlives us, and the next start adopts it.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  return {
    release: () => child.stdin.end(),
    cancel: () => void child.kill('SIGKILL'),
  };
}
