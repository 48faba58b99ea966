import { type ErrorCode, type PlatformError } from '@parley/core';
import { type Refusal } from '../../http/refusal/dialect.js';
import { toldOf } from '../../http/refusal/told.js';

/** The status of each error in this API. What it lists for wrong input, and for what is not built yet, is 400. */
const STATUS: Record<ErrorCode, number> = {
  malformed: 400,
  invalid_input: 400,
  unsupported: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  illegal_state: 409,
  too_large: 413,
  unsupported_media: 415,
  rate_limited: 429,
  internal: 500,
  model_failed: 502,
  unavailable: 503,
  timeout: 504,
};

/** The body of an error; `field_errors` with 400, `id` with 404. */
export interface ErrorBody {
  messages: string[];
  request_id: string;
  field_errors?: Record<string, string>;
  id?: string;
}

/** How this API says no: `Error`, `BadRequestError` or `NotFoundError` of its document. */
export const vectaraRefusal = (error: PlatformError, requestId: string): Refusal => {
  const status = STATUS[error.code];
  const { id, retryAfterMs } = error.details;
  const body: ErrorBody = { messages: messagesOf(error), request_id: requestId };
  if (status === 400) body.field_errors = fieldErrors(error);
  if (status === 404 && id !== undefined) body.id = id;
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (retryAfterMs !== undefined) headers['retry-after'] = String(Math.ceil(retryAfterMs / 1000));
  return { status, headers, body };
};

/** What a client is told of an error, at least one sentence; nothing of the inside. */
export const messagesOf = (error: PlatformError): string[] => {
  const { issues } = error.details;
  if (!issues?.length) return [toldOf(error)];
  return issues.map(({ path, message: reason }) => (path === '' ? reason : `${path}: ${reason}`));
};

const fieldErrors = ({ details }: PlatformError): Record<string, string> => {
  const fields = new Map<string, string>();
  for (const { path, message } of details.issues ?? []) {
    const before = fields.get(path);
    fields.set(path, before === undefined ? message : `${before}; ${message}`);
  }
  return Object.fromEntries(fields);
};
