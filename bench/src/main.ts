import { availableParallelism, loadavg } from 'node:os';
import { addedFirstText } from './goals/added-first-text.js';
import { durableStep } from './goals/durable-step.js';
import { type Goal } from './goals/goal.js';
import { reclaim } from './goals/reclaim.js';
import { streamEnd } from './goals/stream-end.js';
import { throughput } from './goals/throughput.js';
import { turnStorage } from './goals/turn-storage.js';
import { table } from './report/table.js';
import { Rig, type Form } from './rig/rig.js';

const GOALS: readonly Goal[] = [addedFirstText, throughput, durableStep, turnStorage, streamEnd, reclaim];

const run = async (goals: readonly Goal[], form: Form): Promise<void> => {
  const rig = await Rig.open(form);
  const leave = (): void => void rig.close().then(() => process.exit(130));
  process.once('SIGINT', leave).once('SIGTERM', leave);
  try {
    for (const { id, title, measure } of goals) {
      console.log(table(`${id}  ${title}`, await measure(rig)));
      await rig.clear();
    }
  } finally {
    await rig.close();
  }
};

const [first, ...others] = process.argv.slice(2);
/** `cluster` before the goals: Parley as separate services. */
const form = first === 'cluster' ? 'cluster' : 'standalone';
const asked = first === undefined || first === 'cluster' ? others : [first, ...others];
const unknown = asked.filter((id) => !GOALS.some((goal) => goal.id === id));
if (unknown.length > 0) {
  console.error(`no such goal: ${unknown.join(', ')}; there are ${GOALS.map(({ id }) => id).join(', ')}`);
  process.exitCode = 2;
} else {
  const load = (loadavg()[0] ?? 0).toFixed(1);
  console.log(`node ${process.version}, ${availableParallelism()} processors, load before the start ${load}\n`);
  await run(asked.length === 0 ? GOALS : GOALS.filter(({ id }) => asked.includes(id)), form);
}
