import { endingEvents, hasOpenAsk, hasOpenCall, place, type EventBody, type Head, type RunHead } from '@parley/core';
import { additionOf } from './addition.js';
import { type Situation, type SessionRef, type TakeOver } from './run-log.js';

/**
 * The write that ends a held run over its holder's head, because its cancel is posted and was not heeded (DESIGN §7.6).
 * Undefined: no cancel is unread, or nobody holds a run here. One try: where somebody else wrote meanwhile, the log
 * answers `moved` or `fenced`, and the caller looks again.
 */
export const takingOver = (ref: SessionRef, { head, active, facts }: Situation): TakeOver | undefined => {
  const { taken, left, cancel } = place(head, facts);
  if (!cancel || !head.run || !active || active.executor === null || active.run !== head.run.id) return undefined;
  const { run, epoch } = active;
  const { reason, rewind } = cancel.body;
  const end = { state: 'cancelled', reason } as const;
  const events = [...voided(head, head.run), ...endingEvents(head, head.run, { ...end, rewind })];
  return { ...ref, ...additionOf(head, { run, events, taken, left }), run, epoch, end };
};

/** Where no call and no question is open the holder may have been showing a reply: what it showed is void. */
const voided = (head: Head, run: RunHead): EventBody[] =>
  hasOpenCall(head) || hasOpenAsk(head) ? [] : [{ kind: 'restarted', round: run.rounds + 1 }];
