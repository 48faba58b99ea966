/**
 * `npm run simulate -- --runs 1000000 [--seed N] [--workers 2]`: random interleavings of executors, posters, cancellers,
 * clocks and crashes on the reference RunLog. A seed that breaks a rule is printed with all that happened; the same
 * seed with `--runs 1` shows it again. Exit code: 0 no rule broken, 1 one was.
 */
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { replay, simulate } from '../libs/persistence/dist/run-log/simulation/simulate.js';

/** So many seeds are one piece of work. */
const CHUNK = 1_000;

if (isMainThread) await main();
else work(workerData);

async function main() {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '10000' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
      workers: { type: 'string', default: '2' },
    },
  });
  const [runs, first, workers] = [Number(values.runs), Number(values.seed), Number(values.workers)];
  console.log(`${runs} simulations from seed ${first}`);
  const started = Date.now();
  let done = 0;
  const progress = (/** @type {number} */ count) => {
    done += count;
    const seconds = Math.round((Date.now() - started) / 1_000);
    if (done % (10 * CHUNK) === 0 || done === runs) console.log(`${done} simulations, ${seconds} s`);
  };
  const shares = Array.from({ length: workers }, (_, number) => {
    return { first: first + number * CHUNK, step: workers * CHUNK, end: first + runs };
  });
  const broken = (await Promise.all(shares.map((share) => finished(share, progress)))).filter(
    (seed) => seed !== undefined,
  );
  if (broken[0] !== undefined) console.log(replay({ seed: broken[0] }));
  console.log(broken.length === 0 ? '0 broken rules' : `broken rules with the seeds ${broken.join(', ')}`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}

/**
 * @typedef {{ first: number, step: number, end: number }} Share
 * @param {Share} share
 * @param {(count: number) => void} progress
 * @returns {Promise<number | undefined>} the seed at which the worker stopped, since it breaks a rule.
 */
function finished(share, progress) {
  const worker = new Worker(new URL(import.meta.url), { workerData: share });
  return new Promise((resolve, reject) => {
    worker.on('message', ({ count, seed }) => (seed === undefined ? progress(count) : resolve(seed)));
    worker.on('error', reject);
    worker.on('exit', () => resolve(undefined));
  });
}

/** @param {Share} share */
function work({ first, step, end }) {
  for (let from = first; from < end; from += step) {
    const to = Math.min(from + CHUNK, end);
    for (let seed = from; seed < to; seed++) {
      try {
        simulate({ seed });
      } catch {
        parentPort?.postMessage({ seed });
        return;
      }
    }
    parentPort?.postMessage({ count: to - from });
  }
}
