import { rateLimitResetMs } from './rate-limit-reset.js';

const now = new Date('2026-01-01T00:00:00Z');
const EPOCH = now.getTime() / 1_000;
const reset = (requests: string, remaining?: string) => ({
  'x-ratelimit-reset-requests': requests,
  ...(remaining !== undefined && { 'x-ratelimit-remaining-requests': remaining }),
});

describe('rateLimitResetMs', () => {
  test.each([
    ['1s', 1_000],
    ['20ms', 20],
    ['6m0s', 360_000],
    ['7.66s', 7_660],
    ['2m59.56s', 179_560],
    ['1h0m5s', 3_605_000],
    ['1d', 86_400_000],
    ['1s500ms', 1_500],
    ['12', 12_000],
    ['0.5', 500],
    [`${EPOCH + 30}`, 30_000],
  ])('reads %s', (value, ms) => {
    expect(rateLimitResetMs(reset(value), now)).toBe(ms);
  });

  test.each([
    '',
    '0',
    '0s',
    '-5',
    '-1s',
    'soon',
    '1s soon',
    '5 m',
    '0x10',
    '1e9',
    's',
    `${EPOCH - 30}`,
    '9'.repeat(400),
  ])('finds no time to wait in "%s"', (value) => {
    expect(rateLimitResetMs(reset(value), now)).toBeUndefined();
  });

  it('heeds only a limit of which nothing is left, or nothing is said', () => {
    expect(rateLimitResetMs(reset('1s', '0'), now)).toBe(1_000);
    expect(rateLimitResetMs(reset('1s', '3'), now)).toBeUndefined();
    expect(rateLimitResetMs(reset('1s', 'many'), now)).toBeUndefined();
    const tokens = { 'x-ratelimit-reset-tokens': '6s', 'x-ratelimit-remaining-tokens': '0' };
    expect(rateLimitResetMs({ ...reset('6m0s', '12'), ...tokens }, now)).toBe(6_000);
  });

  it('takes the later one where nothing is left of both', () => {
    expect(rateLimitResetMs({ ...reset('1s', '0'), 'x-ratelimit-reset-tokens': '6s' }, now)).toBe(6_000);
    expect(rateLimitResetMs({ ...reset('1s', '0'), 'x-ratelimit-reset-tokens': 'junk' }, now)).toBe(1_000);
  });
});
