import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type RequestOptions } from '@parley/messaging';
import { type TenantId } from '@parley/core';
import { type FastifyRequest } from 'fastify';
import { refused } from '../../http/body/parsed.js';

/** Who asks, and until when. */
export interface Caller {
  tenant: TenantId;
  /** Milliseconds that the client gives the request; undefined: as long as it takes. */
  timeoutMs: number | undefined;
  /** For every question that is asked on the caller's behalf. */
  options: RequestOptions;
}

/** The longest time that a timer of Node can measure. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const WHOLE = /^[1-9]\d{0,9}$/;

/** The caller of a request; refuses a time limit that is none. */
export const Asks = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const { tenant, headers } = context.switchToHttp().getRequest<FastifyRequest>();
  const timeoutMs = timeoutOf(headers);
  return {
    tenant,
    timeoutMs,
    options: timeoutMs === undefined ? {} : { deadline: new Date(Date.now() + timeoutMs) },
  };
});

/** The smaller of `Request-Timeout` (seconds) and `Request-Timeout-Millis`. */
export const timeoutOf = (headers: FastifyRequest['headers']): number | undefined => {
  const seconds = headers['request-timeout'];
  const millis = headers['request-timeout-millis'];
  if (seconds === undefined && millis === undefined) return undefined;
  const limits = [
    wholeOf('Request-Timeout', seconds, 1_000),
    wholeOf('Request-Timeout-Millis', millis, 1),
    MAX_TIMEOUT_MS,
  ];
  return Math.min(...limits);
};

const wholeOf = (name: string, value: string | string[] | undefined, unitMs: number): number => {
  if (value === undefined) return Infinity;
  if (typeof value !== 'string' || !WHOLE.test(value)) throw refused(name, 'must be a whole number of at least 1');
  return Number(value) * unitMs;
};
