import { loose, text, type Loose } from '../reply/chat-chunk.js';
import { ModelFault, type ModelFailureCode } from '../model-failure.js';
import { baseRespError } from './base-resp.js';

/** What a provider says about a request that it did not serve; all that it may leave out is empty. */
interface Complaint {
  status: number;
  /** Its own words for what is wrong, lower-case: `code`, `type` and `status` of the error; `quota_per_day` is ours. */
  words: string[];
  message: string;
}

/** Codes by what the provider calls it, first match first: statuses are used for too many things. */
const BY_WORDS: [ModelFailureCode, RegExp][] = [
  ['quota', /^(insufficient_(user_)?(quota|balance|credits?|funds)|billing_.*|budget_exceeded|arrearage)$/],
  ['quota', /^(exceeded_current_quota_error|credits_exhausted|accountoverdueerror|quota_per_day)$/],
  ['context_length', /^(context_length_exceeded|string_above_max_length)$/],
  ['filtered', /^(content_filter|content_policy_violation|responsibleaipolicyviolation)$/],
  ['not_found', /^(model_not_found|deploymentnotfound)$/],
  ['auth', /^(invalid_api_key|authentication_error|permission_error|permission_denied|unauthenticated)$/],
  ['rate_limited', /^(rate_limit_.*|rate_limited|requests|tokens|resource_exhausted)$/],
  ['overloaded', /^(overloaded.*|engine_overloaded|insufficient_system_resource|unavailable)$/],
];

const BY_MESSAGE: [ModelFailureCode, RegExp][] = [
  ['context_length', /context (length|window|size)|maximum context|prompt is too long|too many (input )?tokens/i],
  ['quota', /exceeded your current quota|insufficient (balance|quota|credits?|funds)|(requires more|out of) credits/i],
  ['quota', /credit balance is too low|used all available credits|reached (its|your) (monthly )?spending limit/i],
  ['auth', /api[ _-]?key (is )?(not valid|invalid)|(invalid|incorrect) api[ _-]?key/i],
];

/** `RESOURCE_EXHAUSTED` is said of what is free again in a minute, too; which quota it was stands in the details. */
const PER_DAY = /"quotaId":"\w*PerDay/;

const BY_STATUS: Readonly<Record<number, ModelFailureCode>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'not_found',
  408: 'timeout',
  409: 'overloaded',
  410: 'not_found',
  425: 'overloaded',
  429: 'rate_limited',
  503: 'overloaded',
  529: 'overloaded',
};

/** The fault that a provider reports in a body, be it the body of a refusal or an event in the middle of an answer. */
export const providerFault = (body: string, status = 0, waitMs?: number): ModelFault => {
  const complaint = complaintIn(body, status);
  return new ModelFault(codeOf(complaint), complaint.message, waitMs);
};

const codeOf = ({ status, words, message }: Complaint): ModelFailureCode => {
  for (const [code, pattern] of BY_WORDS) if (words.some((word) => pattern.test(word))) return code;
  const ofTheRequest = status === 0 || (status >= 400 && status < 500);
  for (const [code, pattern] of BY_MESSAGE) if (ofTheRequest && pattern.test(message)) return code;
  const byStatus = BY_STATUS[status];
  if (byStatus) return byStatus;
  return status >= 400 && status < 500 ? 'bad_request' : 'server_error';
};

/** `{error: {message, type, code}}`, `{error: "text"}`, `{message}`, `{detail}`, `{base_resp}`, a list of one of these, or text. */
const complaintIn = (body: string, status: number): Complaint => {
  const whole = parsed(body);
  const outer = loose(Array.isArray(whole) ? whole[0] : whole) ?? {};
  const choice = Array.isArray(outer.choices) ? loose(outer.choices[0]) : undefined;
  const given = outer.error ?? choice?.error;
  const error: Loose = loose(given) ?? baseRespError(outer) ?? outer;
  const message = text(given) || text(error.message) || readable(error.detail) || readable(body);
  const codes = [error.code, error.type, error.status, choice?.finish_reason];
  const details = JSON.stringify(error.details ?? null);
  return {
    status: status || Number(codes.find(isStatus) ?? 0),
    words: [...codes.map((code) => text(code).toLowerCase()), ...(PER_DAY.test(details) ? ['quota_per_day'] : [])],
    message: message || 'no reason given',
  };
};

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** Some providers report an HTTP status in the middle of an answer. */
const isStatus = (value: unknown): boolean => Number(value) >= 400 && Number(value) < 600;

const readable = (value: unknown): string =>
  value === undefined ? '' : (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ').trim();
