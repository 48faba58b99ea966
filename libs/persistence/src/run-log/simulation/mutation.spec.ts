import { MUTANTS } from './mutants.contract.js';
import { simulate } from './simulate.js';

/** Enough seeds for the rarest fault to show. */
const SEEDS = 20_000;

const firstBroken = (store: (typeof MUTANTS)[number][2]): string | undefined => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      simulate({ seed, store });
    } catch (error) {
      return error instanceof Error ? `${error.message}` : String(error);
    }
  }
  return undefined;
};

describe('the simulation finds out a store that', () => {
  it.each(MUTANTS)(
    '%s',
    (_name, rule, store) => {
      expect(firstBroken(store)).toMatch(rule);
    },
    120_000,
  );
});
