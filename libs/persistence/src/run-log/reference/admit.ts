import { FactId, type Fact, type WhenBusy, type WhenWaiting } from '@parley/core';
import { type Admission, type Admitted } from '../run-log.js';
import { giveTurn } from './appending.js';
import { hold, mayTake } from './executors.js';
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
  const claimed = mayTake(tables, executor, now) ? hold(session, run, { executor, now }) : null;
  return { outcome: 'queued', run: run.id, seq, at: now, claimed };
};

/** Asking twice with one id gives the first answer, however far the run has come since. */
const firstAnswer = (tables: Tables, session: SessionRow, { tenant, id }: Admission): Admitted | undefined => {
  const { seq } = session.head;
  const run = tables.run(tenant, id);
  if (run) {
    if (!session.runs.includes(run)) return { outcome: 'id_taken' };
    const input = run.firstSeq === null ? undefined : session.log[run.firstSeq - 1];
    return input
      ? { outcome: 'queued', run: id, seq: input.seq, at: input.at, claimed: null }
      : { outcome: 'deferred', run: id, seq, unheld: false };
  }
  const known = session.facts.find(({ fact }) => String(fact.id) === id);
  return known && { outcome: 'steered', run: known.fact.run, seq, unheld: false };
};

const refused = (tables: Tables, session: SessionRow, admission: Admission): Admitted | undefined => {
  const agent = tables.agent(admission.tenant, admission.agent);
  if (agent === undefined) return { outcome: 'not_found', noun: 'agent' };
  if (session.agent !== null && session.agent !== agent.id) return { outcome: 'other_agent', agent: session.agent };
  if (!session.enabled) return { outcome: 'disabled', noun: 'session' };
  if (!agent.enabled) return { outcome: 'disabled', noun: 'agent' };
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
  const { seq } = session.head;
  const unheld = active.executor === null;
  const policy = policyFor(active, admission);
  if (policy === 'reject') return { outcome: 'busy', run: active.id, state: active.state };
  if (policy === 'steer') {
    const fact: Fact = { id: FactId.parse(id), run: active.id, body: { kind: 'steer', parts } };
    putFact(session, active, { fact, at: now });
    return { outcome: 'steered', run: active.id, seq, unheld };
  }
  const run = newRun(admission, now);
  tables.insertRun(session, run);
  if (policy === 'defer') return { outcome: 'deferred', run: id, seq, unheld: false };
  run.line = -run.line; // before all that came in order, and the latest of these first of all
  putFact(session, active, { fact: cancelFor(run, active, REASONS[policy]), at: now });
  return { outcome: 'deferred', run: id, seq, unheld };
};

const policyFor = (active: RunRow, { whenBusy, whenWaiting }: Admission): WhenBusy | WhenWaiting =>
  active.waitingFor === 'person' || active.waitingFor === 'client' ? whenWaiting : whenBusy;

const newRun = (admission: Admission, now: Date): RunRow => {
  const { tenant, session, id, agent, version, parts, budget, whenWaiting } = admission;
  return deferredRun({ tenant, session, id, agent, version, parts, budget, whenWaiting }, now);
};
