import { type BodyOf, type CallId, type Message, type ModelChoice, type Usage } from '@parley/core';

/** A piece of a reply in the making: what one event-loop tick brought for one part, joined. */
export interface ModelDelta {
  /** Index of the part in the reply. */
  part: number;
  type: 'text' | 'reasoning';
  text: string;
}

/** One call of a model. */
export interface ModelRequest {
  handle: string;
  instructions: string;
  messages: readonly Message[];
  parameters: ModelChoice['parameters'];
  callId: (index: number) => CallId;
  signal: AbortSignal;
  onDelta: (delta: ModelDelta) => void;
}

export type ModelReply = Pick<BodyOf<'model_replied'>, 'parts' | 'usage' | 'model' | 'finish'>;

export type ModelOutcome =
  | { ok: true; reply: ModelReply }
  | { ok: false; failure: { code: string; message: string; retryable: boolean; usage: Usage | null } };

/** Calls a model. Never rejects; answers at once when `signal` aborts. */
export abstract class Model {
  abstract call(request: ModelRequest): Promise<ModelOutcome>;
}
