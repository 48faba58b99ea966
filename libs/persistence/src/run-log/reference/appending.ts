import { apply, type EventBody, type RunId } from '@parley/core';
import { type Addition } from '../run-log.js';
import { type RunRow, type SessionRow } from './tables.js';

/** Appends an event that the store makes itself, and folds it. @returns its sequence number. */
export const appendOwn = (session: SessionRow, event: { run: RunId; body: EventBody }, at: Date): number => {
  const seq = session.head.seq + 1;
  session.log.push({ seq, at, live: null, hidden: [], ...event });
  session.head = apply(session.head, { seq, ...event });
  return seq;
};

/** Where a writer's events go; `run` is null where a session without a run is written to. */
export interface AppendTo {
  session: SessionRow;
  run: RunId | null;
  now: Date;
}

/** Appends what a writer brings: its events, its head; the facts that led to them leave the inbox. */
export const appendAddition = ({ session, run, now }: AppendTo, { events, head, taken }: Addition): void => {
  for (const { body, live } of events) {
    session.log.push({ seq: session.log.length + 1, run, at: now, body, live: live ?? null, hidden: [] });
  }
  session.head = head;
  for (const row of session.facts) {
    if (row.state === 'unread' && taken.includes(row.fact.id)) row.state = 'taken';
  }
};

/** Gives a run the turn: its input enters the log. */
export const giveTurn = (session: SessionRow, run: RunRow, now: Date): number => {
  session.active = run.id;
  run.state = 'queued';
  run.dueAt = now;
  run.firstSeq = appendOwn(session, { run: run.id, body: { kind: 'input', parts: run.parts } }, now);
  return run.firstSeq;
};
