import { type Figure } from '../report/figure.js';
import { quantile } from '../report/quantile.js';
import { type Round, Versus } from '../rig/versus.js';
import { perRun } from './per-run.js';
import { type Goal } from './goal.js';

const ROUNDS = 20;
const RUNS_A_ROUND = 25;
const WARM_UP = { runs: 2_000 };

/** Goal 1: what Parley adds to the time to the first text, for one client. */
export const addedFirstText: Goal = {
  id: '1',
  title: 'time to the first text, one client (admitted = committed)',
  async measure(rig) {
    const versus = await Versus.start(rig, 'sim-20-0');
    await versus.callDirectly(8, WARM_UP);
    await versus.runTurns(8, WARM_UP);
    const direct: Round[] = [];
    const turns: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      direct.push(await versus.callDirectly(1, { runs: RUNS_A_ROUND }));
      turns.push(await versus.runTurns(1, { runs: RUNS_A_ROUND }));
    }
    const of = (rounds: Round[], q: number): number =>
      quantile(
        rounds.flatMap(({ firstText }) => firstText),
        q,
      );
    const figures: Figure[] = [
      { name: 'added, p50', value: of(turns, 0.5) - of(direct, 0.5), unit: 'ms', target: { most: 3 } },
      { name: 'added, p99', value: of(turns, 0.99) - of(direct, 0.99), unit: 'ms', target: { most: 7 } },
      { name: 'direct, p50', value: of(direct, 0.5), unit: 'ms' },
      { name: 'direct, p99', value: of(direct, 0.99), unit: 'ms' },
    ];
    return [...figures, ...perRun(turns)];
  },
};
