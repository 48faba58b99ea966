/**
 * Run as a process of its own beside the embedded server: waits until the process that started it is gone, however it
 * died, and then stops the server, unless another Parley has taken it over. Its standard input is a pipe from its
 * starter, which ends with it. It acts only while it holds the instance lock itself: a Parley that starts at the same
 * moment waits for that lock, sees the server go, and starts it again.
 * Plain JavaScript, because plain node runs it from the sources.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { livePostmaster, serverUrl, stopServer } from '../server/postmaster.mjs';

/** The lock of instance-lock.ts. */
const INSTANCE_LOCK = 815_002;
const RETRY_MS = 100;
/** A server that replays its log answers late; one that never answers is left alone. */
const GIVE_UP_MS = 300_000;

const [, , directory = '', graceMs] = process.argv;

process.stdin.resume();
process.stdin.on('end', () => void stopOrphan());

async function stopOrphan() {
  const due = performance.now() + Number(graceMs);
  const deadline = due + GIVE_UP_MS;
  while (performance.now() < deadline) {
    const postmaster = await livePostmaster(directory);
    if (!postmaster) return;
    if (performance.now() >= due && (await settle(postmaster))) return;
    await sleep(RETRY_MS);
  }
}

/**
 * Whether the server is stopped or another's; not, while it starts, recovers or stops.
 * @param {import('../server/postmaster.mjs').Postmaster} postmaster
 */
async function settle(postmaster) {
  try {
    await stopUnlessTaken(await serverUrl(directory, postmaster, 'postgres'));
    return true;
  } catch {
    return false;
  }
}

/** @param {string} connectionString */
async function stopUnlessTaken(connectionString) {
  const client = new pg.Client({ connectionString, application_name: 'parley-stop-orphan' });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [INSTANCE_LOCK]);
    if (rows[0].taken) await stopServer(directory);
  } finally {
    await client.end();
  }
}
