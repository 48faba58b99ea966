import { spawn } from 'node:child_process';

/**
 * Has a line of shell run when this process dies, however it dies: tests are killed too, and must leave nothing.
 * @param script finds `subject` in `$subject`: not in its command line, by which others look for processes.
 * @returns takes it back.
 */
export function lastWill(script: string, subject: string): () => void {
  // Its standard input ends with us; whoever takes it back writes a line first.
  const heir = spawn('sh', ['-c', `read -r line || { ${script}; }`], {
    detached: true,
    env: { subject },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  heir.unref();
  heir.stdin.on('error', () => {});
  return () => heir.stdin.end('taken back\n');
}
