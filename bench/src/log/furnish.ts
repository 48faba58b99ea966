import { AgentId, DEFAULT_BUDGET, newId, RunId, SessionId, TenantId } from '@parley/core';
import { type ExecutorId, type RunLog, type SessionRef } from '@parley/persistence';
import { Client } from 'pg';

/** The one tenant and the one agent of a benchmark of the log. */
const tenant = newId(TenantId);
const agent = newId(AgentId);
const VERSION = 1;

/** Makes an agent and so many sessions without a log, in a database that has none. */
export const furnish = async (databaseUrl: string, count: number): Promise<SessionRef[]> => {
  const sessions = Array.from({ length: count }, () => newId(SessionId));
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `insert into agents (tenant, id, key, version, name, enabled) values ($1, $2, 'bench', $3, 'bench', true)`,
      [tenant, agent, VERSION],
    );
    await client.query(
      `insert into sessions (tenant, id, agent, key, name) select $1, id, $2, id, 'bench' from unnest($3::uuid[]) as id`,
      [tenant, agent, sessions],
    );
  } finally {
    await client.end();
  }
  return sessions.map((session) => ({ tenant, session }));
};

/** Admits a run to each session: to that executor, or to the queue. */
export const admitAll = async (log: RunLog, sessions: SessionRef[], executor?: ExecutorId) =>
  await Promise.all(
    sessions.map(async (ref) => {
      const admitted = await log.admit({
        ...ref,
        id: newId(RunId),
        agent,
        version: VERSION,
        parts: [{ type: 'text', text: 'Tell me something that I do not know yet, please.', origin: 'user' }],
        budget: DEFAULT_BUDGET,
        whenBusy: 'reject',
        whenWaiting: 'reject',
        executor,
      });
      if (admitted.outcome !== 'queued') throw new Error(`an admission was answered '${admitted.outcome}'`);
      return admitted;
    }),
  );
