import { ModelFault } from '../model-failure.js';

/** What a stream may cost: bytes of one event, and of the whole answer. */
export interface StreamLimits {
  eventBytes: number;
  answerBytes: number;
}

/** The fault of what is over its limit. */
export const tooLarge = (what: string, limit: number): ModelFault =>
  new ModelFault('too_large', `${what} is larger than ${limit} bytes`);
