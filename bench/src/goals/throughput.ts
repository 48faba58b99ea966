import { type Figure } from '../report/figure.js';
import { median, quantile } from '../report/quantile.js';
import { Versus, type Round } from '../rig/versus.js';
import { perRun } from './per-run.js';
import { type Goal } from './goal.js';

const ROUNDS = 5;
const ROUND = { ms: 2_000 };
/** Node compiles what it runs often; a few thousand turns later it has. */
const WARM_UP = { runs: 3_000 };

/** Goals 2 and 3: streamed turns a second against direct calls, and whether all get their share. */
export const throughput: Goal = {
  id: '2',
  title: 'turns a second against direct calls; fairness (goal 3)',
  async measure(rig) {
    const versus = await Versus.start(rig, 'sim-20-0');
    await versus.callDirectly(64, WARM_UP);
    await versus.runTurns(64, WARM_UP);
    return [...(await at(versus, 32)).figures, ...fairness(await at(versus, 128))];
  },
};

interface Level {
  turns: Round[];
  direct: Round[];
  figures: Figure[];
}

const at = async (versus: Versus, parallel: number): Promise<Level> => {
  const direct: Round[] = [];
  const turns: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    direct.push(await versus.callDirectly(parallel, ROUND));
    turns.push(await versus.runTurns(parallel, ROUND));
  }
  const ratios = turns.map((round, index) => rate(round) / rate(direct[index] ?? round));
  const name = (what: string): string => `${parallel} parallel: ${what}`;
  const figures: Figure[] = [
    { name: name('share of direct'), value: median(ratios), unit: '', target: { least: 0.1 } },
    { name: name('turns'), value: median(turns.map(rate)), unit: '/s' },
    { name: name('direct'), value: median(direct.map(rate)), unit: '/s' },
    ...perRun(turns).map((figure) => ({ ...figure, name: name(figure.name) })),
  ];
  return { turns, direct, figures };
};

/** Direct calls show how much of the unfairness is the machine's. */
const fairness = ({ turns, direct, figures }: Level): Figure[] => {
  const [p50, p99] = firstText(turns);
  const [directP50, directP99] = firstText(direct);
  return [
    ...figures,
    { name: '128 parallel: first text, p50', value: p50, unit: 'ms' },
    { name: '128 parallel: first text, p99', value: p99, unit: 'ms', target: { most: 200 } },
    { name: '128 parallel: first text, p99 : p50', value: p99 / p50, unit: '', target: { most: 2 } },
    { name: '128 parallel: first text of direct, p99 : p50', value: directP99 / directP50, unit: '' },
  ];
};

const firstText = (rounds: Round[]): [p50: number, p99: number] => {
  const times = rounds.flatMap((round) => round.firstText);
  return [quantile(times, 0.5), quantile(times, 0.99)];
};

const rate = ({ whole, ms }: Round): number => whole.length / (ms / 1_000);
