import { fromStored, Live, Run, type Event, type Head, type RunId } from '@parley/core';
import {
  type Admitted,
  type ClaimedRun,
  type Heartbeat,
  type LogPage,
  type Reclaimed,
  type Situation,
  type Written,
} from '../run-log.js';

// What comes out of the SQL functions: JSON in the port's own shapes, but for times, which are text there. It was
// written by this build or an older one and is trusted; only events have versions.

/** A value as JSON carries it: every `Date` is text. */
export type Wire<T> = T extends Date ? string : T extends object ? { [K in keyof T]: Wire<T[K]> } : T;

export const toAdmitted = (answer: Wire<Admitted>): Admitted => {
  if (answer.outcome !== 'queued') return answer as Admitted;
  return { ...answer, at: new Date(answer.at), claimed: answer.claimed && toClaimed(answer.claimed) } as Admitted;
};

export const toClaimed = (answer: Wire<ClaimedRun>): ClaimedRun =>
  ({ ...answer, startedAt: new Date(answer.startedAt), now: new Date(answer.now) }) as ClaimedRun;

export const toWritten = (answer: Wire<Written>): Written =>
  (answer.outcome === 'written' ? { ...answer, at: new Date(answer.at) } : answer) as Written;

export const toHeartbeat = (answer: Wire<Heartbeat>): Heartbeat =>
  ({ ...answer, now: new Date(answer.now) }) as Heartbeat;

export const toReclaimed = (answer: Wire<Reclaimed>): Reclaimed =>
  ({ ...answer, restarted: { ...answer.restarted, at: new Date(answer.restarted.at) } }) as Reclaimed;

export const toSituation = (answer: Wire<Situation>): Situation => answer as Situation;

/** A row of `events` as `READ` gives it. */
interface EventRow {
  seq: number;
  run: RunId | null;
  kind: string;
  version: number;
  payload: Record<string, unknown>;
  live: unknown;
  hidden: number[];
  at: string;
}

/** The one row of a page. */
export interface PageRow {
  head: Head;
  active: LogPage['active'];
  events: EventRow[] | null;
}

export const toPage = ({ head, active, events }: PageRow): LogPage => {
  const page = (events ?? []).map(toEvent);
  return {
    events: page,
    more: (page.at(-1)?.seq ?? head.seq) < head.seq,
    head,
    active,
  };
};

const toEvent = (row: EventRow): Event => ({
  seq: row.seq,
  run: row.run,
  at: new Date(row.at),
  body: fromStored(row),
  live: row.live === null ? null : Live.parse(row.live),
  hidden: row.hidden,
});

/** A row of `runs`; `bigint` columns come as text. */
export interface RunRow {
  id: string;
  session: string;
  agent: string;
  version: number;
  state: string;
  waiting_for: string | null;
  reason: string | null;
  epoch: number;
  parts: unknown;
  budget: unknown;
  first_seq: string | null;
  last_seq: string | null;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
}

export const toRun = (row: RunRow): Run =>
  Run.parse({
    ...row,
    waitingFor: row.waiting_for,
    firstSeq: row.first_seq === null ? null : Number(row.first_seq),
    lastSeq: row.last_seq === null ? null : Number(row.last_seq),
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  });
