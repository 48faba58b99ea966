import { Cluster } from '../cluster.js';
import { Scale } from '../scale.js';

/** `npm run cluster:scale`: finished runs a second with 1, 2 and 4 executors of 5 slots each, on a model that takes 1 s. */
const say = (line: string): unknown => process.stdout.write(`${line}\n`);
const cluster = await Cluster.start({ LOG_LEVEL: 'debug', PARLEY_EXECUTOR_SLOTS: '5' });
try {
  const measured = await new Scale(cluster).measure([1, 2, 4], 40, 15);
  const first = measured[0]?.runsPerSecond ?? NaN;
  for (const { executors, runsPerSecond, spread } of measured) {
    say(
      `${executors} executors: ${runsPerSecond.toFixed(2)} runs/s, × ${(runsPerSecond / first).toFixed(2)}; busiest to idlest ${spread.toFixed(2)} : 1`,
    );
  }
} finally {
  await cluster.stop();
}
