import { type DeadLetter, deadLetterOf, type Page, Run, type RunId, type TenantId } from '@parley/core';
import { deadLetterPage, deadLettersFrom } from '../dead-letter-page.js';
import { type LogPage, type SessionRef, type Standing } from '../run-log.js';
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
    active: run ? { run: run.id, state: run.state, epoch: run.epoch, executor: run.executor } : null,
  };
};

export const getRun = (tables: Tables, tenant: TenantId, id: RunId): Run | undefined => {
  const run = tables.run(tenant, id);
  return run && Run.parse(run);
};

export const standings = (tables: Tables, runs: { tenant: TenantId; run: RunId }[]): Standing[] =>
  runs.flatMap(({ tenant, run: id }) => {
    const run = tables.run(tenant, id);
    const session = run && tables.session(run);
    return session ? [{ tenant, run: id, state: run.state, reason: run.reason, seq: session.head.seq }] : [];
  });

export const deadLetters = (
  tables: Tables,
  tenant: TenantId,
  { after, limit }: { after?: string | undefined; limit: number },
): Page<DeadLetter> => {
  const { at, id } = deadLettersFrom(tenant, after);
  const placeOf = (letter: DeadLetter): string => `${letter.at.toISOString()} ${letter.run}`;
  const behind = [...tables.runs.values()]
    .flatMap((run) => (run.tenant === tenant && deadLetterOf(run)) || [])
    .filter((letter) => placeOf(letter) < `${at} ${id}`)
    .sort((a, b) => (placeOf(a) > placeOf(b) ? -1 : 1));
  return deadLetterPage(tenant, behind.slice(0, limit + 1), limit);
};

export const remove = (tables: Tables, ref: SessionRef): 'removed' | 'busy' | 'not_found' => {
  const session = tables.session(ref);
  if (session === undefined) return 'not_found';
  if (activeRun(session)?.state === 'running') return 'busy';
  tables.deleteSession(session);
  return 'removed';
};
