import { EMPTY_HEAD, type TenantId } from '@parley/core';
import { ReferenceRunLog } from '../reference/reference-run-log.js';
import { type RunLog } from '../run-log.js';
import { Tables } from '../reference/tables.js';
import { risingClock, type Subject } from './subject.contract.js';

/** The reference with a clock of its own; `form`: another RunLog on the same tables. */
export const referenceSubject = (form: new (tables: Tables) => RunLog = ReferenceRunLog): Subject => {
  const now = risingClock();
  const tables = new Tables(now);
  const ofTenant = (tenant: TenantId) => [...tables.sessions.values()].filter((row) => row.tenant === tenant);
  return {
    log: new form(tables),
    now,
    async furnish(tenant, { agents, sessions }) {
      for (const agent of agents) tables.insertAgent({ tenant, ...agent });
      for (const { id, ...rest } of sessions) {
        const row = { tenant, session: id, ...rest, head: EMPTY_HEAD, active: null, edits: 0 };
        tables.insertSession({ ...row, log: [], facts: [], runs: [] });
      }
    },
    async clear(tenant) {
      for (const session of ofTenant(tenant)) tables.deleteSession(session);
    },
    async elapse(tenant, ms) {
      for (const run of ofTenant(tenant).flatMap(({ runs }) => runs)) {
        run.dueAt &&= new Date(run.dueAt.getTime() - ms);
        run.restUntil &&= new Date(run.restUntil.getTime() - ms);
      }
    },
    async kill(executor) {
      tables.executors.get(executor)?.connection.abort();
    },
  };
};
