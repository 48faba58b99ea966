import { type ExecutorId, PostgresRunLog } from '@parley/persistence';
import { admitAll, furnish } from '../log/furnish.js';
import { StepWriter } from '../log/step-writer.js';
import { type Figure } from '../report/figure.js';
import { median, quantile } from '../report/quantile.js';
import { type Database, startDebian, startEmbedded } from '../rig/databases.js';
import { processorTime, processorTimeBelow } from '../rig/processor-time.js';
import { type Goal } from './goal.js';

const ALONE = 1_000;
const PARALLEL = 32;
const ROUNDS = 5;
const ROUND_MS = 1_500;

/** Goal 5: a result committed before the next action, which is one append. */
export const durableStep: Goal = {
  id: '5',
  title: 'a durable step: two events, the head, one commit',
  async measure(rig) {
    const figures = await measureOn(await startEmbedded(rig));
    await rig.clear();
    const debian = await startDebian(rig);
    return debian ? [...figures, ...(await measureOn(debian))] : figures;
  },
};

const measureOn = async ({ name, url }: Database): Promise<Figure[]> => {
  const log = PostgresRunLog.connect(url, 'parley-bench');
  const executor = await log.register();
  const beating = setInterval(() => void log.heartbeat(executor), 1_000);
  try {
    const writers = await makeWriters(log, executor, url);
    await stepsInParallel(writers, ROUND_MS);
    const alone = await stepsAlone(writers.slice(0, 1));
    const spent = processorTimes();
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rates.push(await stepsInParallel(writers, ROUND_MS));
    const steps = (rates.reduce((sum, rate) => sum + rate, 0) * ROUND_MS) / 1_000;
    const [own, postgres] = processorTimes().map((ms, index) => (ms - (spent[index] ?? 0)) / steps);
    return [
      { name: `${name}: alone, p50`, value: median(alone), unit: 'ms', target: { most: 0.6 } },
      { name: `${name}: alone, p99`, value: quantile(alone, 0.99), unit: 'ms' },
      { name: `${name}: ${PARALLEL} parallel`, value: median(rates), unit: '/s', target: { least: 7_000 } },
      { name: `${name}: processor a step, writer`, value: own ?? NaN, unit: 'ms' },
      { name: `${name}: processor a step, postgres`, value: postgres ?? NaN, unit: 'ms' },
    ];
  } finally {
    clearInterval(beating);
    await log.close();
  }
};

/** Of this process, and of the server, which it started. */
const processorTimes = (): number[] => [processorTime(process.pid), processorTimeBelow(process.pid)];

const makeWriters = async (log: PostgresRunLog, executor: ExecutorId, url: string): Promise<StepWriter[]> => {
  const admitted = await admitAll(log, await furnish(url, PARALLEL), executor);
  return admitted.flatMap(({ claimed }) => (claimed ? [new StepWriter(log, claimed, executor)] : []));
};

const stepsAlone = async (writers: StepWriter[]): Promise<number[]> => {
  const times: number[] = [];
  for (let step = 0; step < ALONE; step++) {
    const begun = performance.now();
    await writers[0]?.write();
    times.push(performance.now() - begun);
  }
  return times;
};

/** Steps a second. */
const stepsInParallel = async (writers: StepWriter[], ms: number): Promise<number> => {
  const begun = performance.now();
  let steps = 0;
  const work = async (writer: StepWriter): Promise<void> => {
    while (performance.now() - begun < ms) {
      await writer.write();
      steps++;
    }
  };
  await Promise.all(writers.map(work));
  return steps / ((performance.now() - begun) / 1_000);
};
