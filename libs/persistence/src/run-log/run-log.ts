import {
  type AgentId,
  type Budget,
  type DeadLetter,
  type Event,
  type Fact,
  type FactId,
  type Head,
  type InputPart,
  type NewEvent,
  type Page,
  type Run,
  type RunId,
  type RunState,
  type SessionId,
  type TenantId,
  type TerminalState,
  type WaitingFor,
  type WhenBusy,
  type WhenWaiting,
} from '@parley/core';

/** A session's address. */
export interface SessionRef {
  tenant: TenantId;
  session: SessionId;
}

/** A new run. `id` is the caller's: admitting twice with one id gives the first answer. */
export interface Admission extends SessionRef {
  id: RunId;
  agent: AgentId;
  /** The newest agent version the caller knows; another one in the store is answered, and nothing written. */
  version: number;
  parts: InputPart[];
  budget: Budget;
  whenBusy: WhenBusy;
  whenWaiting: WhenWaiting;
  /** Hands the run, if it gets the turn, straight to this executor; queued as usual when that one is not alive. */
  executor?: ExecutorId | undefined;
}

/**
 * What became of an admission. `seq`: of the run's `input` event, made at `at`; where it did not get the turn, the log's
 * last event.
 */
export type Admitted =
  /** It has the turn: waits for an executor, or (`claimed`) is held by the one that was asked for. */
  | { outcome: 'queued'; run: RunId; seq: number; at: Date; claimed: ClaimedRun | null }
  /** It stands in line. `unheld`: the run it is to replace is held by nobody; the caller ends that one (see `Situation`). */
  | { outcome: 'deferred'; run: RunId; seq: number; unheld: boolean }
  /** Its words became a steer of `run`, which has the turn. `unheld`: nobody holds that one; the caller writes. */
  | { outcome: 'steered'; run: RunId; seq: number; unheld: boolean }
  /** Policy `reject`: nothing was written. */
  | { outcome: 'busy'; run: RunId; state: RunState }
  | { outcome: 'stale_version'; version: number }
  /** The session or the agent is disabled, or the session is bound to another agent. */
  | { outcome: 'disabled'; noun: 'session' | 'agent' }
  | { outcome: 'other_agent'; agent: AgentId }
  /** The id is that of a run in another session. */
  | { outcome: 'id_taken' }
  | { outcome: 'not_found'; noun: 'session' | 'agent' };

/** A session as a poster finds it: all that is needed to write to its log while nobody holds its run. */
export interface Situation {
  head: Head;
  /** The run that has the turn. */
  active: {
    run: RunId;
    state: RunState;
    waitingFor: WaitingFor | null;
    epoch: number;
    executor: ExecutorId | null;
  } | null;
  /** Unread facts, oldest first. */
  facts: Fact[];
}

/** What became of a fact. */
export type Posted =
  /** An executor holds the run; it will read the fact. Nudge it. */
  | { outcome: 'held'; executor: ExecutorId }
  /** Nobody holds the run: the poster is the writer (DESIGN §7.3). */
  | { outcome: 'unheld'; situation: Situation }
  /** A deferred run was cancelled, there and then. */
  | { outcome: 'ended' }
  /** The fact was taken into the log before. */
  | { outcome: 'taken' }
  /** The run has ended, or is not the kind of run that can hear this. */
  | { outcome: 'void'; state: RunState }
  | { outcome: 'not_found' };

/** Identifies an executor process; a new one at each registration. */
export type ExecutorId = number;

/** A run in the hands of an executor, with all that is needed to go on without another question. */
export interface ClaimedRun extends SessionRef {
  run: RunId;
  epoch: number;
  agent: AgentId;
  version: number;
  parts: InputPart[];
  budget: Budget;
  head: Head;
  facts: Fact[];
  /** Rises with every hide, unhide and erase: what an executor remembers of the log is good only for the same number. */
  edits: number;
  startedAt: Date;
  /** The database's clock at the claim. */
  now: Date;
  /** How often an executor died with it since it last made progress (DESIGN §7.7). */
  deaths: number;
}

/** Who writes. Every executor's write carries (executor, epoch); a stale one is refused (DESIGN §7.5). */
export interface Held extends SessionRef {
  run: RunId;
  executor: ExecutorId;
  epoch: number;
}

/** What a write adds. `head` is the head after `events`; both were made from a log that ended at `seq`. */
export interface Addition {
  /** Last event of the log that the writer knows. */
  seq: number;
  events: NewEvent[];
  head: Head;
  /** Facts that leave the inbox with this write. */
  taken: FactId[];
  /** Facts that the writer knows and leaves. */
  left: FactId[];
}

/** What became of a write. */
export type Written =
  | {
      outcome: 'written';
      at: Date;
      /** Facts that the writer has not seen. */ facts: Fact[];
      promoted: Promoted | null;
    }
  /** Nothing was written: there are facts that the writer has not seen, and it may not end or rest before it has. */
  | { outcome: 'unread'; facts: Fact[] }
  /** Nothing was written: another holds the run, or it has ended. */
  | { outcome: 'fenced' }
  /** Nothing was written: the log has moved on. */
  | { outcome: 'moved' };

/** A deferred run that got the turn: its `input` event, made of `parts` at the write's time, is the log's last. */
export interface Promoted {
  run: RunId;
  seq: number;
  parts: InputPart[];
}

/** How a run goes to rest. */
export interface Parking {
  waitingFor: WaitingFor;
  /** When the run has to be looked at again even if nothing happens; null: never. */
  dueAt: Date | null;
}

/** How a run ends: its state, and a word where the state does not say enough. */
export interface Finishing {
  state: TerminalState;
  reason: string | null;
}

/** A write by whoever finds a run (or a session without one) held by nobody. Compare-and-set on `Addition.seq`. */
export interface UnheldWrite extends SessionRef, Addition {
  /** The run that has the turn, as the writer found it; null: there is none. */
  run: RunId | null;
  then: 'leave' | 'queue' | { end: Finishing };
}

/** A write that takes a run from its holder, and ends it (DESIGN §7.6). Compare-and-set on `seq` and `epoch`. */
export interface TakeOver extends SessionRef, Addition {
  run: RunId;
  epoch: number;
  end: Finishing;
}

/** What an executor hears when it shows that it lives. */
export interface Heartbeat {
  /** False: this executor was declared dead; it lost its runs and has to register anew. */
  alive: boolean;
  now: Date;
  /** What it holds by the row; `unread`: facts wait in that session's inbox. */
  held: { tenant: TenantId; session: SessionId; run: RunId; epoch: number; unread: boolean }[];
  /** Whose ever they are: held runs with a cancel that nobody has read for 2 s. Any executor ends them (DESIGN §7.6). */
  overdue: (SessionRef & { run: RunId })[];
}

/** A run that was taken from a dead executor; it is queued again, and a `restarted` event voids its live text. */
export interface Reclaimed extends SessionRef {
  run: RunId;
  restarted: { seq: number; at: Date; round: number };
}

/** A page of a session's log, in order. */
export interface LogPage {
  events: Event[];
  /** The log goes on behind this page. */
  more: boolean;
  head: Head;
  active: { run: RunId; state: RunState; epoch: number; executor: ExecutorId | null } | null;
}

/** Where a run stands by its row. `seq`: the last event of its session. */
export interface Standing {
  tenant: TenantId;
  run: RunId;
  state: RunState;
  reason: string | null;
  seq: number;
}

/** Which parts of a log an edit is about. A call and its result go together: who names one means both. */
export interface PartEdit extends SessionRef {
  parts: { seq: number; part: number }[];
}

/** What became of an edit. `open_call`: a part belongs to a call group that is not settled yet. */
export type Edited = 'edited' | 'open_call' | 'not_found';

/**
 * The log of every session and the runs that write it: the one store behind the promise that an accepted run is never
 * lost and an effect never doubled. Every verb that writes is one call to the database, which locks the sessions it
 * touches first, in key order, and reads only after that (DESIGN §7.2).
 */
export abstract class RunLog {
  // For the session app: admission and the inbox.
  abstract admit(admission: Admission): Promise<Admitted>;
  abstract post(ref: SessionRef, fact: Fact): Promise<Posted>;
  abstract look(ref: SessionRef): Promise<Situation | undefined>;
  abstract write(write: UnheldWrite): Promise<Written>;
  abstract takeOver(write: TakeOver): Promise<Written>;
  abstract read(ref: SessionRef, from: { after: number; limit: number }): Promise<LogPage | undefined>;
  abstract getRun(tenant: TenantId, run: RunId): Promise<Run | undefined>;
  /** Many runs in one question, in any order; one that does not exist is left out. */
  abstract standings(runs: { tenant: TenantId; run: RunId }[]): Promise<Standing[]>;
  /**
   * The tenant's dead letters, the newest end first, by (ended, id). `after`: the `next` of the page before.
   * @throws PlatformError `invalid_input` where that is no such place.
   */
  abstract deadLetters(
    tenant: TenantId,
    from: { after?: string | undefined; limit: number },
  ): Promise<Page<DeadLetter>>;
  abstract hide(edit: PartEdit): Promise<Edited>;
  abstract unhide(edit: PartEdit): Promise<Edited>;
  /** Nulls text, arguments and cuts, and removes the blobs of the parts; rows and numbers stay. Cannot be undone. */
  abstract erase(edit: PartEdit): Promise<Edited>;
  /** Removes a session with its log, runs, inbox and blobs. `busy`: a run of it is held. */
  abstract remove(ref: SessionRef): Promise<'removed' | 'busy' | 'not_found'>;
  /** Removes blobs that were last stored longer ago than that, and that nothing in the log names. `more`: go on. */
  abstract sweepBlobs(olderThanMs: number): Promise<{ more: boolean }>;

  // For executors.
  /** Makes this process an executor: its row, and the lock by which others see it die. */
  abstract register(): Promise<ExecutorId>;
  /** Aborted when that lock is lost though this process lives: it has to register anew. */
  abstract lockLost(executor: ExecutorId): AbortSignal;
  /** Takes up to `slots` runs that are due: fair over tenants (least running first), then by time. */
  abstract claim(executor: ExecutorId, slots: number): Promise<ClaimedRun[]>;
  abstract append(held: Held, addition: Addition): Promise<Written>;
  abstract park(held: Held, addition: Addition, parking: Parking): Promise<Written>;
  abstract finish(held: Held, addition: Addition, finishing: Finishing): Promise<Written>;
  /** Gives the run back to the queue, to be taken by any executor. */
  abstract release(held: Held, addition: Addition): Promise<Written>;
  abstract heartbeat(executor: ExecutorId): Promise<Heartbeat>;
  /** Queues the runs of executors that are dead; `everyone`: of all but this one, for the holder of the instance lock. */
  abstract reclaim(executor: ExecutorId, scope: 'dead' | 'everyone'): Promise<Reclaimed[]>;
  /** Says good-bye: its lease and lock end, so that nobody hands it a run; what it still holds is for `reclaim`. */
  abstract retire(executor: ExecutorId): Promise<void>;

  /** Ends the connections. */
  abstract close(): Promise<void>;
}
