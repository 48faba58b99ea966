import { retryAfterMs } from './retry-after.js';

const now = new Date('2026-01-01T00:00:00Z');

describe('retryAfterMs', () => {
  test.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '600' }, 600_000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5_000],
    [{ 'retry-after': 'Thursday, 01-Jan-26 00:00:05 GMT' }, 5_000],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '1' }, 1_000],
  ])('reads %j', (headers, ms) => {
    expect(retryAfterMs(headers, now)).toBe(ms);
  });

  test.each([
    [{}],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:59:59 GMT' }],
    [{ 'retry-after': '-5' }],
    [{ 'retry-after': '0' }],
    [{ 'retry-after': 'soon' }],
    [{ 'retry-after': '' }],
    [{ 'retry-after': '1e999' }],
    [{ 'retry-after': '0x10' }],
    [{ 'retry-after': 'soon 2050' }],
  ])('finds no time to wait in %j', (headers) => {
    expect(retryAfterMs(headers, now)).toBeUndefined();
  });
});
