import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../config.js';
import { CrashTrials } from './crash-trials.js';

/** The list of the build that is tried, so that a new point is tried as soon as it is there. */
const list = pathToFileURL(join(repository, 'libs/host/dist/crash/crash-points.js')).href;
const { CRASH_POINTS } = (await import(list)) as { CRASH_POINTS: readonly string[] };

describe('a product that dies at', () => {
  const trials = new CrashTrials();

  beforeAll(() => trials.open(), 60_000);
  afterAll(() => trials.close(), 30_000);

  it.each(CRASH_POINTS)(
    '%s, started again, ends every run that it had taken, once',
    async (point) => {
      const report = await trials.dieAt(`${point}:1`);
      expect(report).toEqual({ exit: { code: null, signal: 'SIGKILL' }, lost: [], doubled: [], faults: [] });
    },
    120_000,
  );

  it('more than no place', () => {
    expect(CRASH_POINTS.length).toBeGreaterThan(20);
  });
});
