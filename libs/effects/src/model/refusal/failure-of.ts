import { type Usage } from '@parley/core';
import { OutboundError, type OutboundFailure } from '@parley/outbound';
import {
  FaultyOutput,
  MODEL_FAILURES,
  type ModelFailure,
  ModelFault,
  type ModelFailureCode,
} from '../model-failure.js';
import { type ModelTarget } from '../provider/providers.js';
import { askedFor } from './asked-for.js';
import { type Silence } from '../stream/silence.js';

const OUTBOUND_CODES: Record<OutboundFailure, ModelFailureCode> = {
  connect_failed: 'unreachable',
  timeout: 'unreachable',
  reset: 'incomplete',
  bad_answer: 'bad_response',
  aborted: 'aborted',
};

/** What is known of a call when it fails. */
interface FailedCall {
  target: Pick<ModelTarget, 'handle' | 'provider' | 'model' | 'providers' | 'endpoint'>;
  signal: AbortSignal;
  silence: Silence | undefined;
  /** What it cost all the same; null: no answer had begun. */
  usage: Usage | null;
}

/** The failure of a call that this error ended. @throws what is no failure of a call. */
export const failureOf = (error: unknown, { target, signal, silence, usage }: FailedCall): ModelFailure => {
  const fault = faultOf(error, signal, silence);
  const { code, message, retryAfterMs } = fault;
  const isOurs = fault instanceof FaultyOutput; // the provider knows of no fault, and the model is told of it
  return {
    code,
    message: target.endpoint.presentable(isOurs ? message : `${target.provider}: ${askedFor(target, code)}${message}`),
    retryable: MODEL_FAILURES[code].retryable,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    usage,
    ...(isOurs && { parts: fault.parts }),
  };
};

const faultOf = (error: unknown, signal: AbortSignal, silence: Silence | undefined): ModelFault => {
  if (signal.aborted) return new ModelFault('aborted', 'the call was aborted');
  if (silence?.elapsed) return new ModelFault('timeout', `silent for ${silence.limitMs} ms`);
  if (error instanceof ModelFault) return error;
  if (error instanceof OutboundError) return new ModelFault(OUTBOUND_CODES[error.code], error.message);
  throw error;
};
