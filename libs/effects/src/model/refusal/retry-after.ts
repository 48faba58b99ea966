import { type IncomingHttpHeaders } from 'node:http';

/**
 * What a provider asks to wait, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as a date
 * (RFC 9110 §10.2.3). `undefined` for what is no time from now on.
 */
export const retryAfterMs = (headers: IncomingHttpHeaders, now: Date): number | undefined => {
  const [ms, seconds] = [headers['retry-after-ms'], headers['retry-after']].map(Number);
  const date = Date.parse(headers['retry-after'] ?? '') - now.getTime();
  return [ms, seconds === undefined ? undefined : seconds * 1000, date].find(isWait);
};

const isWait = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && value > 0;
