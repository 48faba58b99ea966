import { fold, type EventBody, type Fact, type Head, type RunId } from '@parley/core';
import { type Addition } from './run-log.js';

/** What a writer adds to the log that `head` is the fold of. */
export interface Draft {
  run: RunId;
  events: EventBody[];
  taken: Fact[];
  left: Fact[];
}

/** A draft as the store takes it: with the head that the log has after it. */
export const additionOf = (head: Head, { run, events, taken, left }: Draft): Addition => ({
  seq: head.seq,
  events: events.map((body) => ({ body })),
  head: fold(
    events.map((body, index) => ({ seq: head.seq + 1 + index, run, body })),
    head,
  ),
  taken: taken.map(({ id }) => id),
  left: left.map(({ id }) => id),
});
