import { type ReplyPart, type Usage } from '@parley/core';

/** Every way in which a model call can fail, and whether the same call may succeed later. */
export const MODEL_FAILURES = {
  /** The caller's signal ended it. */
  aborted: { retryable: false },
  /** No connection to the provider. */
  unreachable: { retryable: true },
  /** Silent for too long. */
  timeout: { retryable: true },
  /** The answer broke off before its end. */
  incomplete: { retryable: true },
  /** What came back is not an answer of this API. */
  bad_response: { retryable: true },
  /** One event or the whole answer is over its limit. */
  too_large: { retryable: false },
  /** The answer is whole and says nothing: neither text nor a call. Asking the same again mends nothing. */
  empty: { retryable: false },
  /** The answer is not of the form that was asked for. Asking again helps only with the fault. */
  invalid_output: { retryable: false },
  auth: { retryable: false },
  /** No such provider, address or model. */
  not_found: { retryable: false },
  bad_request: { retryable: false },
  /** The conversation holds what the model is known not to take; it was not asked. */
  unsupported_content: { retryable: false },
  /** The conversation does not fit into the model's context window. */
  context_length: { retryable: false },
  /** The provider's policy forbids the request. */
  filtered: { retryable: false },
  /** Nothing left to spend. */
  quota: { retryable: false },
  rate_limited: { retryable: true },
  overloaded: { retryable: true },
  server_error: { retryable: true },
  /** The provider has failed so often in a row that it is left alone for a while: it was not asked. */
  circuit_open: { retryable: true },
} as const satisfies Record<string, { retryable: boolean }>;

/** A word from the closed list of ways in which a model call can fail. */
export type ModelFailureCode = keyof typeof MODEL_FAILURES;

/** Why a model call gave no reply. */
export interface ModelFailure {
  code: ModelFailureCode;
  /** For people: at most 2,048 UTF-16 units, without secrets. */
  message: string;
  retryable: boolean;
  /** What the provider asked to wait, in milliseconds; only when it did. */
  retryAfterMs?: number;
  /** What the attempt cost all the same; `null` when no answer had begun. */
  usage: Usage | null;
  /** What the model said all the same; with `invalid_output` only. */
  parts?: ReplyPart[];
}

/** Thrown inside the adapter by whoever finds that a call has failed; becomes a `ModelFailure` before it leaves. */
export class ModelFault extends Error {
  override readonly name = 'ModelFault';

  constructor(
    readonly code: ModelFailureCode,
    message: string,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** An answer that is whole, and not of the form that was asked for. */
export class FaultyOutput extends ModelFault {
  constructor(
    fault: string,
    readonly parts: ReplyPart[],
  ) {
    super('invalid_output', fault);
  }
}
