import { FactId, type Fact, type WhenBusy, type WhenWaiting } from '@parley/core';
import { type Admission, type Admitted } from '../run-log.js';
import { giveTurn } from './appending.js';
import { hold, isAlive } from './executors.js';
import { cancelFor, putFact } from './inbox.js';
import { activeRun, deferredRun, type RunRow, type SessionRow, type Tables } from './tables.js';

export const admit = (tables: Tables, admission: Admission): Admitted => {
  const now = tables.clock();
  const session = tables.session(admission);
  if (session === undefined) return { outcome: 'not_found', noun: 'session' };
  const before = firstAnswer(tables, session, admission);
  if (before) return before;
  const refusal = refused(tables, session, admission);
  if (refusal) return refusal;
  const active = activeRun(session);
  if (active) return stand(tables, { session, active, now }, admission);
  session.agent = admission.agent;
  const run = newRun(admission, now);
  tables.insertRun(session, run);
  const seq = giveTurn(session, run, now);
  const executor = admission.executor ?? null;
  const claimed = isAlive(tables, executor, now) ? hold(session, run, { executor, now }) : null;
  return { outcome: 'queued', run: run.id, seq, claimed };
};

/** Asking twice with one id gives the first answer, however far the run has come since. */
const firstAnswer = (tables: Tables, session: SessionRow, { tenant, id }: Admission): Admitted | undefined => {
  const { seq } = session.head;
  const fact = session.facts.find((row) => String(row.fact.id) === id)?.fact;
  if (fact?.body.kind === 'steer') return { outcome: 'steered', run: fact.run, seq };
  const run = tables.run(tenant, id);
  if (run === undefined) return undefined;
  if (run.state === 'deferred') return { outcome: 'deferred', run: id, seq, unheld: replacesUnheld(session, run) };
  return { outcome: 'queued', run: id, seq: run.firstSeq ?? seq, claimed: null };
};

const refused = (tables: Tables, session: SessionRow, admission: Admission): Admitted | undefined => {
  const agent = tables.agent(admission.tenant, admission.agent);
  if (agent === undefined) return { outcome: 'not_found', noun: 'agent' };
  if (!session.enabled) return { outcome: 'disabled', noun: 'session' };
  if (!agent.enabled) return { outcome: 'disabled', noun: 'agent' };
  if (session.agent !== null && session.agent !== agent.id) return { outcome: 'other_agent', agent: session.agent };
  if (agent.version !== admission.version) return { outcome: 'stale_version', version: agent.version };
  return undefined;
};

interface Busy {
  session: SessionRow;
  active: RunRow;
  now: Date;
}

/** Why a run that makes room for another is cancelled, by the policy of the other one. */
const REASONS = { interrupt: 'interrupted', rollback: 'rolled_back', supersede: 'superseded' } as const;

/** Another run has the turn: do as the caller's policy says. */
const stand = (tables: Tables, { session, active, now }: Busy, admission: Admission): Admitted => {
  const { id, parts } = admission;
  const policy = policyFor(active, admission);
  if (policy === 'reject') return { outcome: 'busy', run: active.id, state: active.state };
  if (policy === 'steer') {
    const fact: Fact = { id: FactId.parse(id), run: active.id, body: { kind: 'steer', parts } };
    putFact(session, active, { fact, at: now });
    return { outcome: 'steered', run: active.id, seq: session.head.seq };
  }
  const run = newRun(admission, now);
  tables.insertRun(session, run);
  if (policy !== 'defer') {
    run.line = -run.line; // before all that came in order, and the latest of these first of all
    putFact(session, active, { fact: cancelFor(run, active, REASONS[policy]), at: now });
  }
  return { outcome: 'deferred', run: id, seq: session.head.seq, unheld: replacesUnheld(session, run) };
};

const policyFor = (active: RunRow, { whenBusy, whenWaiting }: Admission): WhenBusy | WhenWaiting =>
  active.waitingFor === 'person' || active.waitingFor === 'client' ? whenWaiting : whenBusy;

/** True when the run that is to make room for this one is held by nobody, so that the caller has to end it. */
const replacesUnheld = (session: SessionRow, run: RunRow): boolean =>
  activeRun(session)?.executor === null &&
  session.facts.some(({ fact, state }) => String(fact.id) === run.id && state === 'unread');

const newRun = (admission: Admission, now: Date): RunRow => {
  const { tenant, session, id, agent, version, parts, budget, whenWaiting } = admission;
  return { ...deferredRun({ tenant, session, id, agent, version, parts, budget }, now), whenWaiting };
};
