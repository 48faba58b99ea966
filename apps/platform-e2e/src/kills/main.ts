import { seed } from '../config.js';
import { KillScenario, type KillReport } from './kill-scenario.js';

/** `npm run kills -- 50`: kills the product so often, prints the figures, and fails where something was lost. */
const kills = Number(process.argv[2] ?? 50);
const say = (line: string): unknown => process.stdout.write(`${line}\n`);

const quantile = (sorted: number[], q: number): string =>
  `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN)} ms`;

const figuresOf = ({ turns, midStream, wentOnAfterMs, voided, lost, doubled, faults }: KillReport): string[] => [
  `kills ${midStream.length}, clients amid a reply at each: ${midStream.join(' ')}`,
  `turns ${turns}, lost ${lost.length}, said or answered twice ${doubled.length}, other faults ${faults.length}`,
  `clients whose reply was broken off ${voided.length}, told of a restart first ${voided.filter((type) => type === 'streaming_restarted').length}`,
  `from listening to the run going on: p50 ${quantile(wentOnAfterMs, 0.5)}, p99 ${quantile(wentOnAfterMs, 0.99)}, max ${quantile(wentOnAfterMs, 1)}`,
  ...[...lost.map((words) => `lost: ${words}`), ...doubled.map((words) => `twice: ${words}`), ...faults],
];

say(`Killing ${kills} times, seed ${seed} (PARLEY_E2E_SEED) …`);
const onKill = (done: number): void => {
  if (done % 10 === 0) say(`  ${done} kills`);
};
const report = await new KillScenario({ kills, seed, onKill }).run();
for (const line of figuresOf(report)) say(line);
const isClean = report.lost.length + report.doubled.length + report.faults.length === 0;
process.exitCode = isClean ? 0 : 1;
