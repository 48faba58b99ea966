import { providerReadyAt } from './provider-ready-at.js';

describe('the time when a provider that is left alone is looked at again', () => {
  it('is now where it takes calls', () => {
    expect([0, 0.5, 1].map((jitter) => providerReadyAt(5_000.25, 0, jitter))).toEqual([5_000.25, 5_000.25, 5_000.25]);
  });

  it('is never before it takes calls, and spread over two fifths of the pause', () => {
    expect([0, 0.5, 1].map((jitter) => providerReadyAt(5_000, 2_000, jitter))).toEqual([7_000, 7_400, 7_800]);
  });

  it('is another one for nearly each of fifty runs', () => {
    const times = Array.from({ length: 50 }, () => providerReadyAt(0, 2_000, Math.random()));
    expect(new Set(times).size).toBeGreaterThan(35);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(400);
  });
});
