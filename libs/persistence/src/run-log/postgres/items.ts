import { toStored, type Fact, type NewEvent } from '@parley/core';
import { type Addition, type Admission, type Held, type SessionRef } from '../run-log.js';

// What goes into the SQL functions: see the record definitions in the migration.

/** An item of `run_log_admit`. */
export const admitItem = (admission: Admission) => ({
  tenant: admission.tenant,
  session: admission.session,
  run: admission.id,
  agent: admission.agent,
  version: admission.version,
  parts: admission.parts,
  budget: admission.budget,
  busy: admission.whenBusy,
  waiting: admission.whenWaiting,
  ...(admission.executor === undefined ? {} : { executor: admission.executor }),
});
export type AdmitItem = ReturnType<typeof admitItem>;

/** An item of `run_log_post`. */
export const postItem = ({ tenant, session }: SessionRef, { id, run, body }: Fact) => {
  const { kind, ...payload } = body;
  return { tenant, session, run, id, kind, payload };
};
export type PostItem = ReturnType<typeof postItem>;

/** What the verbs of `run_log_commit` differ in. */
interface CommitVerb {
  verb: 'append' | 'park' | 'finish' | 'release' | 'write' | 'take_over';
  run: string | null;
  executor?: number;
  epoch?: number;
  /** The run's new state; for `write` also `leave` or `queue`. */
  state?: string;
  reason?: string | null;
  waiting_for?: string;
  due_at?: Date | null;
}

/** An item of `run_log_commit`. */
export const commitItem = ({ tenant, session }: SessionRef, addition: Addition, verb: CommitVerb) => ({
  tenant,
  session,
  seq: addition.seq,
  events: addition.events.map(eventItem),
  head: addition.head,
  taken: addition.taken,
  left: addition.left,
  ...verb,
});
export type CommitItem = ReturnType<typeof commitItem>;

/** The part of a commit item that says who writes. */
export const holder = ({ run, executor, epoch }: Held) => ({ run, executor, epoch });

const eventItem = ({ body, live }: NewEvent) => ({ ...toStored(body), ...(live ? { live } : {}) });
