import {
  type AgentId,
  type Event,
  type Fact,
  type Head,
  type Run,
  type RunId,
  type TenantId,
  type WhenWaiting,
} from '@parley/core';
import { randomUUID } from 'node:crypto';
import { type ExecutorId, type SessionRef } from '../run-log.js';

/** What admission has to know of an agent. */
export interface AgentRow {
  tenant: TenantId;
  id: AgentId;
  /** The newest version. */
  version: number;
  enabled: boolean;
}

/** A fact with what became of it. Only an unread one stands in the inbox; the others are kept to know a repeat by. */
export interface FactRow {
  fact: Fact;
  at: Date;
  state: 'unread' | 'taken' | 'void';
}

export interface SessionRow extends SessionRef {
  agent: AgentId | null;
  enabled: boolean;
  head: Head;
  /** The run that has the turn. */
  active: RunId | null;
  edits: number;
  log: Event[];
  /** In the order in which they were posted. */
  facts: FactRow[];
  runs: RunRow[];
}

export interface RunRow extends Run {
  tenant: TenantId;
  whenWaiting: WhenWaiting;
  /** Place among the deferred runs of the session: the least is next. */
  line: number;
  /** When `claim` may take it; set while it is queued, and while it waits for anything that has a time. */
  dueAt: Date | null;
  /** What `dueAt` was when the run parked, in case a poster brings it forward for nothing. */
  restUntil: Date | null;
  executor: ExecutorId | null;
  deaths: number;
}

/** A living executor; whoever finds it dead deletes the row. */
export interface ExecutorRow {
  id: ExecutorId;
  leaseUntil: Date;
  /** Aborted when the connection that shows it alive is gone. */
  connection: AbortController;
}

/**
 * The rows that the verbs work on. A verb may change rows; the values in them (heads, events, facts, parts) are never
 * changed, only replaced, since answers share them.
 */
export class Tables {
  readonly agents = new Map<string, AgentRow>();
  readonly sessions = new Map<string, SessionRow>();
  readonly runs = new Map<string, RunRow>();
  readonly executors = new Map<ExecutorId, ExecutorRow>();
  private registered = 0;

  /**
   * @param clock read once by every call of a verb.
   * @param random names what the store makes itself.
   */
  constructor(
    readonly clock: () => Date,
    readonly random: () => string = randomUUID,
  ) {}

  agent(tenant: TenantId, id: AgentId): AgentRow | undefined {
    return this.agents.get(`${tenant}/${id}`);
  }

  session({ tenant, session }: SessionRef): SessionRow | undefined {
    return this.sessions.get(`${tenant}/${session}`);
  }

  run(tenant: TenantId, id: RunId): RunRow | undefined {
    return this.runs.get(`${tenant}/${id}`);
  }

  insertAgent(agent: AgentRow): void {
    this.agents.set(`${agent.tenant}/${agent.id}`, agent);
  }

  insertSession(session: SessionRow): void {
    this.sessions.set(`${session.tenant}/${session.session}`, session);
  }

  insertRun(session: SessionRow, run: RunRow): void {
    this.runs.set(`${run.tenant}/${run.id}`, run);
    session.runs.push(run);
  }

  insertExecutor(leaseUntil: Date): ExecutorId {
    const id = ++this.registered;
    this.executors.set(id, { id, leaseUntil, connection: new AbortController() });
    return id;
  }

  deleteSession({ tenant, session, runs }: SessionRow): void {
    for (const { id } of runs) this.runs.delete(`${tenant}/${id}`);
    this.sessions.delete(`${tenant}/${session}`);
  }
}

/** The run that has the turn of this session. */
export const activeRun = ({ runs, active }: Pick<SessionRow, 'runs' | 'active'>): RunRow | undefined =>
  active === null ? undefined : runs.find(({ id }) => id === active);

/** The inbox: facts that nobody has taken yet, oldest first. */
export const unread = (session: SessionRow): Fact[] =>
  session.facts.filter(({ state }) => state === 'unread').map(({ fact }) => fact);

/** The deferred run that gets the turn next. */
export const nextInLine = ({ runs }: SessionRow): RunRow | undefined =>
  runs
    .filter(({ state }) => state === 'deferred')
    .reduce<RunRow | undefined>((first, run) => (first && first.line <= run.line ? first : run), undefined);

/** What is known of a run before it has been anywhere. */
export type Request = Pick<
  RunRow,
  'tenant' | 'id' | 'session' | 'agent' | 'version' | 'parts' | 'budget' | 'whenWaiting'
>;

/** A run at the end of the line. */
export const deferredRun = (request: Request, now: Date): RunRow => ({
  ...request,
  state: 'deferred',
  waitingFor: null,
  reason: null,
  epoch: 0,
  firstSeq: null,
  lastSeq: null,
  createdAt: now,
  startedAt: null,
  endedAt: null,
  line: now.getTime(),
  dueAt: null,
  restUntil: null,
  executor: null,
  deaths: 0,
});
