import { Run, type RunId, type TenantId } from '@parley/core';
import { type LogPage, type SessionRef } from '../run-log.js';
import { activeRun, type Tables } from './tables.js';

export const read = (tables: Tables, ref: SessionRef, from: { after: number; limit: number }): LogPage | undefined => {
  const session = tables.session(ref);
  if (session === undefined) return undefined;
  const events = session.log.slice(from.after, from.after + from.limit);
  const run = activeRun(session);
  return {
    events,
    more: session.log.length > from.after + events.length,
    head: session.head,
    active: run ? { run: run.id, state: run.state } : null,
  };
};

export const getRun = (tables: Tables, tenant: TenantId, id: RunId): Run | undefined => {
  const run = tables.run(tenant, id);
  return run && Run.parse(run);
};

export const remove = (tables: Tables, ref: SessionRef): 'removed' | 'busy' | 'not_found' => {
  const session = tables.session(ref);
  if (session === undefined) return 'not_found';
  if (activeRun(session)?.state === 'running') return 'busy';
  tables.deleteSession(session);
  return 'removed';
};
