import { type ClaimedRun, type ExecutorId, type Heartbeat, type Reclaimed } from '../run-log.js';
import { appendOwn } from './appending.js';
import { unread, type RunRow, type SessionRow, type Tables } from './tables.js';

/** How long a cancel may stay unread before anybody may end the run. */
const CANCEL_UNREAD_MS = 2_000;

/** How long an executor counts as alive after its last heartbeat. */
const LEASE_MS = 15_000;

export const register = (tables: Tables): ExecutorId => tables.insertExecutor(leaseFrom(tables.clock()));

/** Its lease ends. The row stays for `reclaim`, which queues what an admission may have handed over at the last moment. */
export const retire = (tables: Tables, executor: ExecutorId): void => {
  const row = tables.executors.get(executor);
  if (!row) return;
  row.leaseUntil = tables.clock();
  row.connection.abort();
};

export const lockLost = (tables: Tables, executor: ExecutorId): AbortSignal =>
  tables.executors.get(executor)?.connection.signal ?? AbortSignal.abort();

export const heartbeat = (tables: Tables, executor: ExecutorId): Heartbeat => {
  const now = tables.clock();
  const row = tables.executors.get(executor);
  if (row) row.leaseUntil = leaseFrom(now);
  const held = heldBy(tables, [executor]).map(([session, { tenant, id: run, epoch }]) => {
    return { tenant, session: session.session, run, epoch, unread: unread(session).length > 0 };
  });
  return { alive: row !== undefined, now, held, overdue: overdue(tables, now) };
};

const overdue = (tables: Tables, now: Date): Heartbeat['overdue'] =>
  [...tables.runs.values()].flatMap(({ tenant, session: id, id: run, executor }) => {
    const session = executor === null ? undefined : tables.session({ tenant, session: id });
    const isLate = session?.facts.some(
      ({ state, fact, at }) =>
        state === 'unread' && fact.body.kind === 'cancel' && now.getTime() - at.getTime() >= CANCEL_UNREAD_MS,
    );
    return isLate ? [{ tenant, session: id, run }] : [];
  });

/**
 * Takes up to `slots` due runs: of the tenant with the least running first, then what has been due the longest.
 * Answers them in the order of their sessions.
 */
export const claim = (tables: Tables, executor: ExecutorId, slots: number): ClaimedRun[] => {
  const now = tables.clock();
  if (!tables.executors.has(executor)) return [];
  const rank = new Map<string, number>();
  for (const { tenant, executor: holder } of tables.runs.values()) {
    rank.set(tenant, (rank.get(tenant) ?? 0) + (holder === null ? 0 : 1));
  }
  const ranked = due(tables, now).map((run) => {
    const place = (rank.get(run.tenant) ?? 0) + 1;
    rank.set(run.tenant, place);
    return { run, place };
  });
  ranked.sort((a, b) => a.place - b.place || byTime(a.run, b.run));
  const picked = ranked.slice(0, slots).map(({ run }) => run);
  return picked.sort(bySession).flatMap((run) => {
    const session = tables.session(run);
    return session ? [hold(session, run, { executor, now })] : [];
  });
};

const due = (tables: Tables, now: Date): RunRow[] =>
  [...tables.runs.values()]
    .filter(({ state, dueAt }) => (state === 'queued' || state === 'waiting') && dueAt !== null && dueAt <= now)
    .sort(byTime);

const byTime = (a: RunRow, b: RunRow): number => Number(a.dueAt) - Number(b.dueAt) || bySession(a, b);

const bySession = (a: RunRow, b: RunRow): number => compared(a.tenant, b.tenant) || compared(a.session, b.session);

const compared = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1);

/** Puts a run into an executor's hands. */
export const hold = (
  session: SessionRow,
  run: RunRow,
  { executor, now }: { executor: ExecutorId | null; now: Date },
): ClaimedRun => {
  run.state = 'running';
  run.waitingFor = null;
  run.dueAt = null;
  run.restUntil = null;
  run.executor = executor;
  run.epoch += 1;
  run.startedAt ??= now;
  const { tenant, session: id, agent, version, parts, budget, epoch, startedAt, deaths } = run;
  const { head, edits } = session;
  const facts = unread(session);
  const ref = { tenant, session: id, run: run.id };
  return { ...ref, epoch, agent, version, parts, budget, head, facts, edits, startedAt, now, deaths };
};

/** Dead is whose lease has run out, or whose connection is gone; `everyone`: the caller knows that all others are. */
export const reclaim = (tables: Tables, executor: ExecutorId, scope: 'dead' | 'everyone'): Reclaimed[] => {
  const now = tables.clock();
  const dead = [...tables.executors.values()].filter(({ id, leaseUntil, connection }) => {
    return id !== executor && (scope === 'everyone' || connection.signal.aborted || leaseUntil < now);
  });
  const ids = dead.map(({ id }) => id);
  for (const id of ids) tables.executors.delete(id);
  return heldBy(tables, ids).map(([session, run]) => takeBack(session, run, now));
};

/** Queues a dead executor's run with the age that it has; what it showed and did not commit is void. */
const takeBack = (session: SessionRow, run: RunRow, now: Date): Reclaimed => {
  run.state = 'queued';
  run.dueAt = run.startedAt;
  run.executor = null;
  run.epoch += 1;
  run.deaths += 1;
  const round = (session.head.run?.rounds ?? 0) + 1;
  const seq = appendOwn(session, { run: run.id, body: { kind: 'restarted', round } }, now);
  return { tenant: run.tenant, session: run.session, run: run.id, restarted: { seq, at: now, round } };
};

const heldBy = (tables: Tables, executors: ExecutorId[]): [SessionRow, RunRow][] =>
  [...tables.runs.values()].flatMap((run): [SessionRow, RunRow][] => {
    const held = run.executor !== null && executors.includes(run.executor);
    const session = held ? tables.session(run) : undefined;
    return session ? [[session, run]] : [];
  });

/** True for an executor that may be handed a run. That its connection is gone is seen by `reclaim` only. */
export const mayTake = (tables: Tables, executor: ExecutorId | null, now: Date): boolean => {
  const row = executor === null ? undefined : tables.executors.get(executor);
  return row !== undefined && row.leaseUntil > now;
};

const leaseFrom = (now: Date): Date => new Date(now.getTime() + LEASE_MS);
