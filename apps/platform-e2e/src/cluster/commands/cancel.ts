import { StubModel } from '../../model/stub-model.js';
import { CancelMoments, MOMENTS } from '../cancel-moments.js';
import { Cluster } from '../cluster.js';

/** `npm run cluster:cancel -- 50`: so many cancels at each moment, and 100 races with the end; fails on a fault. */
const times = Number(process.argv[2] ?? 50);
const say = (line: string): unknown => process.stdout.write(`${line}\n`);
const shown = (sorted: number[]): string =>
  sorted.length === 0
    ? '–'
    : `p50 ${Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)}, max ${Math.round(sorted.at(-1) ?? 0)} ms`;

const model = new StubModel();
const cluster = await Cluster.start({ OPENAI_BASE_URL: await model.listen(), OPENAI_API_KEY: 'sk-odd' });
try {
  const moments = new CancelMoments(cluster, model);
  for (const moment of MOMENTS) {
    const { answerMs, closedMs, interrupted, answered, faults } = await moments.run(
      moment,
      moment === 'racing its end' ? times * 2 : times,
    );
    say(
      `${moment}: ${interrupted} interrupted, ${answered} answered first; answer ${shown(answerMs)}; model let go after the answer ${shown(closedMs)}; faults ${faults.length}`,
    );
    for (const fault of faults.slice(0, 10)) say(`  ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  }
} finally {
  await cluster.stop();
  await model.close();
}
