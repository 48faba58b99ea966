/**
 * Run as a process of its own: waits until its standard input ends, then ends every Postgres server under the folder
 * that it was given and removes the folder. The input is a pipe from the test run, so it ends when the run asks for it
 * and also when the run is killed by any signal. Plain JavaScript, because plain node runs it from the sources.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , root = ''] = process.argv;
if (!root.includes('parley-test')) throw new Error(`not a folder of test servers: ${root}`);

process.stdin.resume();
process.stdin.on('end', () => void removeServers());

async function removeServers() {
  const names = await readdir(root).catch(() => []);
  await Promise.all(names.map((name) => stopServer(join(root, name, 'data'))));
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}

/** @param {string} dataDirectory */
async function stopServer(dataDirectory) {
  const text = await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  if (!(pid > 0)) return;
  // Immediate: nobody will read this data again.
  while (signal(pid, 'SIGQUIT')) await sleep(20);
}

/**
 * Whether the process was still there.
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
