/** One row of the error table. */
interface ErrorRule {
  /** HTTP status that a dialect uses unless its own `errors.ts` says otherwise. */
  status: number;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  title: string;
}

/**
 * Every way in which Parley says no. An error is judged by its code, never by its class, because it crosses process
 * boundaries (DESIGN §10).
 */
export const ERRORS = {
  malformed: { status: 400, retryable: false, title: 'The request cannot be read' },
  unauthenticated: { status: 401, retryable: false, title: 'No valid API key' },
  forbidden: { status: 403, retryable: false, title: 'Not allowed for this key' },
  not_found: { status: 404, retryable: false, title: 'Not found' },
  method_not_allowed: { status: 405, retryable: false, title: 'This path does not take this method' },
  conflict: { status: 409, retryable: false, title: 'It exists already or was changed meanwhile' },
  illegal_state: { status: 409, retryable: false, title: 'Its state does not allow this' },
  too_large: { status: 413, retryable: false, title: 'Too large' },
  unsupported_media: { status: 415, retryable: false, title: 'This content type is not taken here' },
  invalid_input: { status: 422, retryable: false, title: 'The request is not acceptable' },
  unsupported: { status: 501, retryable: false, title: 'The API has this, Parley does not' },
  rate_limited: { status: 429, retryable: true, title: 'Too many requests' },
  model_failed: { status: 502, retryable: true, title: 'The model did not answer' },
  timeout: { status: 504, retryable: true, title: 'Not done in time' },
  unavailable: { status: 503, retryable: true, title: 'A part of Parley is away' },
  internal: { status: 500, retryable: true, title: 'A fault in Parley' },
} as const satisfies Record<string, ErrorRule>;

/** One of the codes of the error table. */
export type ErrorCode = keyof typeof ERRORS;

/** One thing wrong with an input: where and why. */
export interface Issue {
  /** Dotted path into the input, e.g. `steps.triage.next_steps[0].condition`; `''` is the input itself. */
  path: string;
  message: string;
}

/** What a caller may be told beside the message. Never holds secrets. */
export interface ErrorDetails {
  issues?: Issue[];
  noun?: string;
  id?: string;
  retryAfterMs?: number;
}

/** The one error that Parley throws on purpose. `message` names the field, the reason and the remedy. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** The form that crosses a process boundary. */
  toJSON(): { code: ErrorCode; message: string; details: ErrorDetails } {
    return { code: this.code, message: this.message, details: this.details };
  }

  /** Rebuilds an error that crossed a process boundary; anything unknown becomes `internal`. */
  static from(value: unknown): PlatformError {
    if (value instanceof PlatformError) return value;
    if (isWireError(value)) return new PlatformError(value.code, value.message, value.details ?? {});
    return new PlatformError('internal', 'unexpected failure', {}, { cause: value });
  }
}

const isWireError = (value: unknown): value is { code: ErrorCode; message: string; details?: ErrorDetails } =>
  typeof value === 'object' &&
  value !== null &&
  'code' in value &&
  'message' in value &&
  typeof value.code === 'string' &&
  typeof value.message === 'string' &&
  Object.hasOwn(ERRORS, value.code);

/** `not_found` for a noun: the same answer whether it never was or belongs to another tenant. */
export const notFound = (noun: string, id: string): PlatformError =>
  new PlatformError('not_found', `${noun} '${id}' does not exist`, { noun, id });
