import { type ClaimedRun, type ExecutorId, type Heartbeat, type Reclaimed } from '../run-log.js';
import { appendOwn } from './appending.js';
import { unread, type ExecutorRow, type RunRow, type SessionRow, type Tables } from './tables.js';

/** How long an executor counts as alive after its last heartbeat. */
const LEASE_MS = 15_000;

/** Before all that is due by the clock. */
const FIRST_OF_ALL = new Date(0);

export const register = (tables: Tables): ExecutorId => {
  const id = 1 + Math.max(0, ...tables.executors.keys());
  tables.executors.set(id, { id, leaseUntil: leaseFrom(tables.clock()), dead: false, connected: true });
  return id;
};

export const retire = (tables: Tables, executor: ExecutorId): void => {
  tables.executors.delete(executor);
};

export const heartbeat = (tables: Tables, executor: ExecutorId): Heartbeat => {
  const now = tables.clock();
  const row = tables.executors.get(executor);
  if (row === undefined || row.dead) return { alive: false, now, held: [] };
  row.leaseUntil = leaseFrom(now);
  const held = heldBy(tables, executor).map(([session, { tenant, id: run, epoch }]) => {
    return { tenant, session: session.session, run, epoch, unread: unread(session).length > 0 };
  });
  return { alive: true, now, held };
};

/** Takes up to `slots` due runs: of the tenant with the least running first, then what has been due the longest. */
export const claim = (tables: Tables, executor: ExecutorId, slots: number): ClaimedRun[] => {
  const now = tables.clock();
  if (!isAlive(tables, executor, now)) return [];
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
  return ranked.slice(0, slots).flatMap(({ run }) => {
    const session = tables.session(run);
    return session ? [hold(session, run, { executor, now })] : [];
  });
};

const due = (tables: Tables, now: Date): RunRow[] =>
  [...tables.runs.values()]
    .filter(({ state, dueAt }) => (state === 'queued' || state === 'waiting') && dueAt !== null && dueAt <= now)
    .sort(byTime);

const byTime = (a: RunRow, b: RunRow): number =>
  Number(a.dueAt) - Number(b.dueAt) || compared(a.tenant, b.tenant) || compared(a.id, b.id);

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
  run.executor = executor;
  run.epoch += 1;
  run.startedAt ??= now;
  const { tenant, session: id, agent, version, parts, budget, epoch, startedAt, deaths } = run;
  const { head, edits } = session;
  const facts = unread(session);
  const ref = { tenant, session: id, run: run.id };
  return { ...ref, epoch, agent, version, parts, budget, head, facts, edits, startedAt, now, deaths };
};

export const reclaim = (tables: Tables, executor: ExecutorId, scope: 'dead' | 'everyone'): Reclaimed[] => {
  const now = tables.clock();
  const gone = [...tables.executors.values()].filter(
    (row) => row.id !== executor && !row.dead && (scope === 'everyone' || looksDead(row, now)),
  );
  return gone.flatMap((row) => {
    row.dead = true;
    return heldBy(tables, row.id).map(([session, run]) => takeBack(session, run, now));
  });
};

/** Queues a dead executor's run before all others; what it showed and did not commit is void. */
const takeBack = (session: SessionRow, run: RunRow, now: Date): Reclaimed => {
  run.state = 'queued';
  run.dueAt = FIRST_OF_ALL;
  run.executor = null;
  run.epoch += 1;
  run.deaths += 1;
  const round = (session.head.run?.rounds ?? 0) + 1;
  const seq = appendOwn(session, { run: run.id, body: { kind: 'restarted', round } }, now);
  return { tenant: run.tenant, session: run.session, run: run.id, restarted: { seq, at: now, round } };
};

const heldBy = (tables: Tables, executor: ExecutorId): [SessionRow, RunRow][] =>
  [...tables.runs.values()].flatMap((run): [SessionRow, RunRow][] => {
    const session = run.executor === executor ? tables.session(run) : undefined;
    return session ? [[session, run]] : [];
  });

/** True for an executor that may be given runs. That its connection is gone is seen by `reclaim` only. */
export const isAlive = (tables: Tables, executor: ExecutorId | null, now: Date): boolean => {
  const row = executor === null ? undefined : tables.executors.get(executor);
  return row !== undefined && !row.dead && row.leaseUntil > now;
};

const looksDead = ({ connected, leaseUntil }: ExecutorRow, now: Date): boolean => !connected || leaseUntil <= now;

const leaseFrom = (now: Date): Date => new Date(now.getTime() + LEASE_MS);
