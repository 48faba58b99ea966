import { seed } from '../../config.js';
import { Chance } from '../../product/chance.js';
import { Cluster } from '../cluster.js';
import { StreamTrials } from '../stream-trials.js';

/** `npm run cluster:streams`: breaks streams off in every way; prints the figures, and fails on a fault. */
const say = (line: string): unknown => process.stdout.write(`${line}\n`);
const quantile = (sorted: number[], q: number): string =>
  `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN).toFixed(1)} ms`;
const fail = (faults: readonly string[]): void => {
  for (const fault of faults.slice(0, 10)) say(`  ${fault.slice(0, 400)}`);
  if (faults.length > 0) process.exitCode = 1;
};

const cluster = await Cluster.start();
try {
  await cluster.command('scale gateway 2');
  const trials = new StreamTrials(cluster, new Chance(seed));
  const reports = await Promise.all(Array.from({ length: 20 }, () => trials.cutAndResume('sim-100-20', 20)));
  const first = reports.flatMap(({ firstFrameMs }) => firstFrameMs).sort((a, b) => a - b);
  const faults = reports.flatMap((report) => report.faults);
  say(
    `20 streams cut ${reports.reduce((sum, { cuts }) => sum + cuts, 0)} times, resumed on the other gateway: faults ${faults.length}; first frame p50 ${quantile(first, 0.5)}, p99 ${quantile(first, 0.99)}`,
  );
  fail(faults);
  const dropped = await trials.connectAndDrop('sim-20-20', 1_000);
  say(
    `1000 connects dropped within 50 ms: open files ${dropped.files.join(' → ')}, MB ${dropped.memoryMb.join(' / ')}`,
  );
  fail(dropped.faults);
  const stuck = await trials.neverRead('sim-2000-2', 200);
  say(
    `200 readers that never read: MB ${stuck.memoryMb.join(' / ')}, open files ${stuck.files.join(' → ')}; the healthy took p50 ${quantile(stuck.healthyMs, 0.5)}, max ${quantile(stuck.healthyMs, 1)}`,
  );
  fail(stuck.faults);
  say(`odd ids are answered with ${JSON.stringify(await trials.oddIds('sim-20-20'))}`);
} finally {
  await cluster.stop();
}
