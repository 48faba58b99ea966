import { type BodyOf, type Budget, type FaultyAnswer, type Head, type Message, type RunHead } from '@parley/core';

/** Why a model stopped. */
export type Finish = BodyOf<'model_replied'>['finish'];

/** What the log says of a react agent's run: the fold of its events, and nothing else. */
export interface ReactState {
  run: RunHead;
  /** Calls of the latest reply, and how far each has come. */
  calls: Head['calls'];
  /** The conversation in force. */
  messages: readonly Message[];
  /** Why the model stopped at its latest reply, while nothing has followed that reply; null: the model has the word. */
  answer: Finish | null;
  /** The latest answer, where it was not of the form that it has to be; null: it was. */
  fault: FaultyAnswer | null;
  /** What the run ends with where nothing follows its latest failure. */
  failure: 'model_failed' | 'invalid_output' | 'price_unknown';
}

/** What the log does not say: read just before, never kept. */
export interface ReactFacts {
  /** By the database's clock, like `startedAt`; milliseconds since 1970. */
  now: number;
  /** When the run was first claimed. */
  startedAt: number;
  budget: Budget;
  /** When the model's provider takes calls again; a time that is over: it does. */
  providerReadyAt: number;
  /** Whether it is known what a call of the model costs. */
  isPriced: boolean;
}
