import { replay, simulate } from './simulate.js';

/** So many seeds a run of the specs tries; `npm run simulate` tries as many as one likes. */
const SEEDS = 10_000;

describe('the simulation', () => {
  it(`breaks no rule in ${SEEDS} interleavings`, () => {
    const first = Math.floor(Math.random() * 2 ** 31);
    for (let seed = first; seed < first + SEEDS; seed++) {
      try {
        simulate({ seed });
      } catch {
        throw new Error(replay({ seed }));
      }
    }
  }, 300_000);

  it('plays the same seed the same way to the letter', () => {
    const played = [7, 7, 8].map((seed) => {
      const lines: string[] = [];
      simulate({ seed, trace: (line) => lines.push(line) });
      return lines;
    });
    expect(played[0]?.length).toBeGreaterThan(20);
    expect(played[1]).toEqual(played[0]);
    expect(played[2]).not.toEqual(played[0]);
  });
});
