import { type OutboundResponse } from '@parley/outbound';
import { ModelFault } from '../model-failure.js';
import { readBytes } from '../stream/read-bytes.js';
import { providerFault } from './provider-fault.js';
import { rateLimitResetMs } from './rate-limit-reset.js';
import { retryAfterMs } from './retry-after.js';

/** How much of a refusal is read. */
const REFUSAL_BYTES = 65_536;

/** The fault behind a response whose status is no success. */
export const refusal = async ({ status, headers, body }: OutboundResponse): Promise<ModelFault> => {
  if (status < 400) {
    body.destroy();
    const where = headers.location ?? 'nowhere';
    return new ModelFault(
      'not_found',
      `HTTP ${status}: redirects to ${where}, which is not followed: mend the baseUrl`,
    );
  }
  const said = await readBytes(body, REFUSAL_BYTES).catch(() => Buffer.alloc(0)); // the status alone says enough
  const { code, message } = providerFault(said.toString('utf8', 0, REFUSAL_BYTES), status);
  const now = new Date();
  const wait = retryAfterMs(headers, now) ?? (status === 429 ? rateLimitResetMs(headers, now) : undefined);
  const asked = wait === undefined ? '' : ` (it asks to wait ${Math.ceil(wait / 1_000)} s)`;
  return new ModelFault(code, `HTTP ${status}: ${message}${asked}`, wait);
};
