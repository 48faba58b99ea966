import { FactId, type Fact } from '@parley/core';
import { type Posted, type SessionRef, type Situation } from '../run-log.js';
import { activeRun, unread, type RunRow, type SessionRow, type Tables } from './tables.js';

/** A fact in the inbox of a waiting run is looked at by an executor after this time, should its poster have died. */
const LOOKED_AT_AFTER_MS = 2_000;

/**
 * Puts a fact into the inbox of the run that has the turn; one that is known already stays as it is. A waiting run is
 * looked at soon, whether or not its poster lives to do it.
 */
export const putFact = (session: SessionRow, run: RunRow, { fact, at }: { fact: Fact; at: Date }): void => {
  if (!session.facts.some((known) => known.fact.id === fact.id)) session.facts.push({ fact, at, state: 'unread' });
  if (run.state !== 'waiting') return;
  const latest = at.getTime() + LOOKED_AT_AFTER_MS;
  if (run.dueAt === null || run.dueAt.getTime() > latest) run.dueAt = new Date(latest);
};

/** The cancel by which one run makes room for another; it goes by the other's id, so that a repeat is known. */
export const cancelFor = (successor: RunRow, run: RunRow, reason: string): Fact => ({
  id: FactId.parse(successor.id),
  run: run.id,
  body: { kind: 'cancel', reason, rewind: reason === 'rolled_back' },
});

export const post = (tables: Tables, ref: SessionRef, fact: Fact): Posted => {
  const now = tables.clock();
  const session = tables.session(ref);
  const run = tables.run(ref.tenant, fact.run);
  if (session === undefined || run?.session !== session.session) return { outcome: 'not_found' };
  const known = session.facts.find((row) => row.fact.id === fact.id);
  if (known && known.state !== 'unread') return { outcome: 'taken' };
  if (!known && run.state === 'deferred' && fact.body.kind === 'cancel') {
    run.state = 'cancelled';
    run.reason = fact.body.reason;
    run.endedAt = now;
    return { outcome: 'ended' };
  }
  if (!known && run.id !== session.active) return { outcome: 'void', state: run.state };
  putFact(session, run, { fact, at: now });
  return run.executor === null
    ? { outcome: 'unheld', situation: situationOf(session) }
    : { outcome: 'held', executor: run.executor };
};

export const look = (tables: Tables, ref: SessionRef): Situation | undefined => {
  const session = tables.session(ref);
  return session && situationOf(session);
};

const situationOf = (session: SessionRow): Situation => {
  const run = activeRun(session);
  return {
    head: session.head,
    active: run
      ? { run: run.id, state: run.state, waitingFor: run.waitingFor, epoch: run.epoch, executor: run.executor }
      : null,
    facts: unread(session),
  };
};
