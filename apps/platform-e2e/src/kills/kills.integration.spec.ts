import { killsInSpec, seed } from '../config.js';
import { KillScenario, type KillReport } from './kill-scenario.js';

describe(`a product that is killed ${killsInSpec} times amid replies, and started again after 0 to 3 s (seed ${seed})`, () => {
  let report: KillReport;

  beforeAll(
    async () => {
      report = await new KillScenario({ kills: killsInSpec, seed }).run();
    },
    60_000 + killsInSpec * 20_000,
  );

  it('is killed amid replies each time', () => {
    expect(report.midStream).toHaveLength(killsInSpec);
    expect(Math.min(...report.midStream)).toBeGreaterThan(1);
  });

  it('loses no message, answers each, and says nothing twice', () => {
    expect(report).toMatchObject({ lost: [], doubled: [] });
    expect(report.turns).toBeGreaterThan(0);
  });

  it('shows a client that comes back what it shows to one that reads all from the start, which is what it lists', () => {
    expect(report.faults).toEqual([]);
  });

  it('tells a client whose half message is void that it is, first of all', () => {
    const others = report.voided.filter((type) => type !== 'streaming_restarted');
    expect(report.voided).toContain('streaming_restarted');
    expect(others.filter((type) => type !== 'streaming_agent_output' && type !== 'streaming_agent_output_end')).toEqual(
      [],
    );
  });

  it('goes on with every reply, with half of them within 5 s after it listens again', () => {
    expect(report.wentOnAfterMs.length).toBeGreaterThan(0);
    // A run that was killed with its process twice is acted in a process of its own, which has to start first.
    expect(report.wentOnAfterMs[report.wentOnAfterMs.length >> 1]).toBeLessThanOrEqual(5_000);
    expect(Math.max(...report.wentOnAfterMs)).toBeLessThanOrEqual(30_000);
  });
});
