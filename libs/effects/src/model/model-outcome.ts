import {
  type BodyOf,
  type CallId,
  type FaultyAnswer,
  type Message,
  type ModelChoice,
  type OutputFormat,
} from '@parley/core';
import { type ModelFailure } from './model-failure.js';

/** A piece of a reply in the making: what one event-loop tick brought for one part, joined. */
export interface ModelDelta {
  /** Index of the part in the reply. */
  part: number;
  type: 'text' | 'reasoning';
  text: string;
}

/** One call of a model. */
export interface ModelRequest {
  /** `provider/model`, or a model of the default provider; `Providers.resolve` has the rules. */
  handle: string;
  /** The system prompt; empty: none. */
  instructions: string;
  messages: readonly Message[];
  parameters: ModelChoice['parameters'];
  /** What the answer has to be; absent: text. Text of such an answer is heard by nobody before it was found valid. */
  output?: OutputFormat | undefined;
  /** The answer before this one, which was not of that form. */
  repair?: FaultyAnswer | undefined;
  /** Gives the n-th call of the reply, from 0, its id; must give the same id for the same number. */
  callId: (index: number) => CallId;
  signal: AbortSignal;
  /**
   * Hears the reply as it is made, at most once a tick and part. What was heard of a part, joined, is the part's text
   * exactly when the outcome is ok, and void when it is not. Silent once the outcome is there.
   */
  onDelta: (delta: ModelDelta) => void;
}

/** What a model answered, as `model_replied` records it. */
export type ModelReply = Pick<BodyOf<'model_replied'>, 'parts' | 'usage' | 'model' | 'finish' | 'output' | 'logprobs'>;

/** What became of a model call. */
export type ModelOutcome = { ok: true; reply: ModelReply } | { ok: false; failure: ModelFailure };
