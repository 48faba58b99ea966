import { type IncomingHttpHeaders } from 'node:http';

/**
 * What a provider asks to wait, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as a date
 * (RFC 9110 §10.2.3). `undefined` for what is no time from now on.
 */
export const retryAfterMs = (headers: IncomingHttpHeaders, now: Date): number | undefined => {
  const seconds = headers['retry-after'] ?? '';
  const asked = [numberOf(headers['retry-after-ms']), numberOf(seconds) * 1000, dateOf(seconds) - now.getTime()];
  return asked.find((ms) => Number.isFinite(ms) && ms > 0);
};

/** `Number` would take `0x10`, too. */
const numberOf = (value: string | string[] | undefined): number =>
  typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;

/** `Date.parse` finds a year in any words: what is no time of day is no date. */
const dateOf = (value: string): number => (/\d:\d\d:\d\d/.test(value) ? Date.parse(value) : NaN);
