import {
  type CallId,
  type CallOutcome,
  type FailureReason,
  type FaultyAnswer,
  type Message,
  type ModelChoice,
  type OutputFormat,
  type TerminalState,
} from '@parley/core';

/** Why a run ended, where its state alone does not say it. */
export type ReactReason = 'length' | 'filtered' | Exclude<FailureReason, 'poison' | 'internal'>;

/** Ask the model for its next reply. */
export interface CallModel {
  kind: 'call_model';
  /** 1 for the first reply of the run. */
  round: number;
  /** Counts from 1 within the round. */
  attempt: number;
  handle: string;
  parameters: ModelChoice['parameters'];
  /** The system prompt; empty: none. */
  instructions: string;
  messages: readonly Message[];
  /** What the answer has to be; undefined: text. */
  output: OutputFormat | undefined;
  /** The answer before, which was not of that form; undefined: there was none. */
  repair: FaultyAnswer | undefined;
}

/** Take the model call for failed without making it, and for good. */
export interface RefuseModel {
  kind: 'refuse_model';
  /** Both as of the call that is not made. */
  round: number;
  attempt: number;
  code: 'price_unknown';
  /** What is wrong, and what to do about it. */
  message: string;
}

/** Give a call its result without making it. */
export interface SettleCall {
  kind: 'settle_call';
  call: CallId;
  outcome: CallOutcome;
  /** What the model is told. */
  text: string;
}

/** Do nothing for a while: the provider asked for it, or is left alone. */
export interface Wait {
  kind: 'wait';
  /** By the database's clock, in milliseconds since 1970; not after the run's deadline. */
  until: number;
}

/** End the run. */
export interface EndRun {
  kind: 'end';
  state: TerminalState;
  reason: ReactReason | null;
}

/** What a react agent's run does next. */
export type ReactAction = CallModel | RefuseModel | SettleCall | Wait | EndRun;
