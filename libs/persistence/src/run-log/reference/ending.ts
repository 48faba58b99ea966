import { RunId, type Fact } from '@parley/core';
import { type Finishing, type Promoted } from '../run-log.js';
import { giveTurn } from './appending.js';
import { deferredRun, nextInLine, type FactRow, type RunRow, type SessionRow, type Tables } from './tables.js';

/** A run of a session at the time of the call that writes. */
export interface Turn {
  tables: Tables;
  session: SessionRow;
  run: RunRow;
  now: Date;
}

/** Ends the run that has the turn, whose last event stands in the log, and passes the turn on. */
export const endRun = (turn: Turn, { state, reason }: Finishing): Promoted | null => {
  const { session, run, now } = turn;
  run.state = state;
  run.reason = reason;
  run.waitingFor = null;
  run.dueAt = null;
  run.restUntil = null;
  run.executor = null;
  run.lastSeq = session.head.seq;
  run.endedAt = now;
  session.active = null;
  emptyInbox(turn);
  const next = nextInLine(session);
  return next ? { run: next.id, seq: giveTurn(session, next, now), parts: next.parts } : null;
};

/** Words that the run did not hear become one deferred run, in the place of the first of them; other facts are void. */
const emptyInbox = ({ tables, session, run: ended, now }: Turn): void => {
  const rows = session.facts.filter(({ state }) => state === 'unread');
  const steers = rows.filter(isSteer);
  for (const row of rows) row.state = isSteer(row) ? 'taken' : 'void';
  const [first] = steers;
  if (!first) return;
  const { tenant, session: id, agent, version, budget } = ended;
  const parts = steers.flatMap(({ fact }) => fact.body.parts);
  const taken = tables.run(tenant, RunId.parse(first.fact.id)) !== undefined; // a caller used one key twice
  const name = RunId.parse(taken ? tables.random() : first.fact.id);
  const request = { tenant, session: id, id: name, agent, version, parts, budget, whenWaiting: 'defer' as const };
  const run = deferredRun(request, now);
  tables.insertRun(session, { ...run, line: first.at.getTime() });
};

type Steer = FactRow & { fact: Fact & { body: { kind: 'steer' } } };

const isSteer = (row: FactRow): row is Steer => row.fact.body.kind === 'steer';
