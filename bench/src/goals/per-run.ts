import { type Figure } from '../report/figure.js';
import { type ProcessorTimes, type Round } from '../rig/versus.js';

const PROCESSES: readonly (keyof ProcessorTimes)[] = ['standalone', 'postgres', 'simulator', 'load'];

/** Processor time a run by process: the figure that a busy machine hardly changes. */
export const perRun = (rounds: readonly Round[]): Figure[] => {
  const runs = rounds.reduce((sum, { whole }) => sum + whole.length, 0);
  return PROCESSES.map((name) => {
    const spent = rounds.reduce((sum, { processor }) => sum + processor[name], 0);
    return { name: `processor a turn, ${name}`, value: spent / runs, unit: 'ms' };
  });
};
