import { DEFAULT_RETRY, type Retry } from '@parley/core';
import fc from 'fast-check';
import { nextAttemptAt, type FailedAttempt } from './next-attempt.js';

const NOW = 1_000_000;
const times = { now: NOW, deadline: NOW + 3_600_000, jitter: 0.5 };
const waitOf = (failed: Partial<FailedAttempt>, retry: Partial<Retry> = {}, over: Partial<typeof times> = {}) => {
  const at = nextAttemptAt(
    { ...DEFAULT_RETRY, ...retry },
    { attempt: 1, retryable: true, ...failed },
    { ...times, ...over },
  );
  return at === undefined ? undefined : at - NOW;
};

describe('the next attempt', () => {
  it('comes after 1, 2 and 4 s by default, and there is no fourth', () => {
    expect([1, 2, 3, 4].map((attempt) => waitOf({ attempt }))).toEqual([1_000, 2_000, 4_000, undefined]);
  });

  it.each<[string, Partial<FailedAttempt>, Partial<Retry>, number | undefined]>([
    ['enabled', {}, { enabled: false }, undefined],
    ['maxRetries', { attempt: 5 }, { maxRetries: 5 }, 16_000],
    ['initialBackoffMs', {}, { initialBackoffMs: 250 }, 250],
    ['maxBackoffMs', { attempt: 3 }, { maxBackoffMs: 3_000 }, 3_000],
    ['factor', { attempt: 3 }, { factor: 3 }, 9_000],
  ])('follows %s', (_, failed, retry, wait) => {
    expect(waitOf(failed, retry)).toBe(wait);
  });

  it('is spread over two fifths of the backoff', () => {
    expect([0, 1].map((jitter) => waitOf({}, {}, { jitter }))).toEqual([800, 1_200]);
  });

  it('is not before the provider wishes, however short the backoff, and keeps the backoff that is longer', () => {
    expect(waitOf({ retryAfterMs: 600_000 }, {}, { jitter: 0 })).toBe(600_000);
    expect(waitOf({ retryAfterMs: 5 })).toBe(1_000);
  });

  it('is spread behind a wish as it is behind a backoff: the wish was the same for all', () => {
    expect([0, 0.5, 1].map((jitter) => waitOf({ retryAfterMs: 5_000 }, {}, { jitter }))).toEqual([5_000, 5_200, 5_400]);
  });

  it('is none where the same call would fail again', () => {
    expect(waitOf({ retryable: false, retryAfterMs: 1 })).toBeUndefined();
  });

  it('is none where it would come after the end of the run', () => {
    expect(waitOf({ retryAfterMs: 3_600_000 })).toBeUndefined();
    expect(waitOf({}, {}, { deadline: NOW + 1_000 })).toBeUndefined();
  });

  it('is a whole number after now and before the deadline, whatever comes', () => {
    const failed = fc.record({
      attempt: fc.integer({ min: 1, max: 10 }),
      retryable: fc.constant(true),
      retryAfterMs: fc.double({ min: 0, noNaN: true }),
    });
    fc.assert(
      fc.property(failed, fc.double({ min: 0, max: 1, noNaN: true }), (one, jitter) => {
        const at = nextAttemptAt({ ...DEFAULT_RETRY, maxRetries: 10 }, one, { ...times, jitter });
        if (at === undefined) return;
        expect(Number.isInteger(at)).toBe(true);
        expect(at).toBeGreaterThan(NOW);
        expect(at).toBeLessThan(times.deadline);
      }),
    );
  });
});
