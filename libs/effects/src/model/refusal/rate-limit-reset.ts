import { type IncomingHttpHeaders } from 'node:http';

/** What a provider may count: each has a header for what is left of it, and one for when there is more. */
const COUNTED = ['requests', 'tokens'];
/** From here on a plain number is a time in seconds since 1970, not so many seconds. */
const FIRST_EPOCH = 1_000_000_000;

const DURATION =
  /^(?:(?<d>\d+)d)?(?:(?<h>\d+)h)?(?:(?<m>\d+)m(?!s))?(?:(?<s>\d+(?:\.\d+)?)s)?(?:(?<ms>\d+(?:\.\d+)?)ms)?$/;
const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/**
 * How long a provider that limits rates has nothing left, in milliseconds: `x-ratelimit-reset-requests` and `-tokens`, the
 * later of those whose `x-ratelimit-remaining-…` says 0 or is not there. `6m0s`, `20ms`, plain seconds, or seconds since
 * 1970; `undefined` for what is no time from now on.
 */
export const rateLimitResetMs = (headers: IncomingHttpHeaders, now: Date): number | undefined => {
  const resets = COUNTED.filter((what) => Number(text(headers[`x-ratelimit-remaining-${what}`]) || 0) === 0)
    .map((what) => resetMs(text(headers[`x-ratelimit-reset-${what}`]), now))
    .filter((ms) => Number.isFinite(ms) && ms > 0);
  return resets.length > 0 ? Math.max(...resets) : undefined;
};

const resetMs = (value: string, now: Date): number => {
  if (/^\d+(\.\d+)?$/.test(value)) {
    const seconds = Number(value);
    return seconds < FIRST_EPOCH ? seconds * 1_000 : seconds * 1_000 - now.getTime();
  }
  const parts = DURATION.exec(value)?.groups ?? {};
  const units = Object.entries(UNIT_MS).map(([unit, ms]) => Number(parts[unit] ?? 0) * ms);
  return units.reduce((sum, ms) => sum + ms, 0);
};

const text = (value: string | string[] | undefined): string => (typeof value === 'string' ? value.trim() : '');
