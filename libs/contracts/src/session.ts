import { AgentId, JsonObject, Key, pageOf, Session, SessionId, TenantId } from '@parley/core';
import { z } from 'zod';
import { rpc } from './define.js';

const tenant = TenantId;

/** A session by its id, or by its key within an agent. */
export const SessionAddress = z.union([z.object({ id: SessionId }), z.object({ agent: AgentId, key: Key })]);
export type SessionAddress = z.infer<typeof SessionAddress>;

const described = {
  name: z.string(),
  description: z.string().nullable(),
  metadata: JsonObject,
  facets: z.record(z.string(), JsonObject),
  enabled: z.boolean(),
};

/**
 * Asking twice with one `id` gives the first answer. `conflict`: the agent has a session of that key. `too_large`: a
 * field weighs more than a quarter of a page, 128 KiB of JSON, so that all of them together fit on one.
 */
export const createSession = rpc({
  subject: 'rpc.session.create',
  request: z.object({ tenant, id: SessionId, agent: AgentId, key: Key, ...described }),
  response: Session,
  errors: ['not_found', 'conflict', 'illegal_state', 'too_large'],
  timeoutMs: 5_000,
});

/** A session as it stands. */
export const getSession = rpc({
  subject: 'rpc.session.get',
  request: z.object({ tenant, session: SessionAddress }),
  response: Session,
  errors: ['not_found'],
  timeoutMs: 5_000,
});

/**
 * Newest first, by (created, id); closes at `limit` sessions or 512 KiB. `pattern`: an RE2 expression that name or
 * description has to contain a match of.
 */
export const listSessions = rpc({
  subject: 'rpc.session.list',
  request: z.object({
    tenant,
    agent: AgentId,
    pattern: z.string().max(256).optional(),
    limit: z.number().int().min(1).max(1000),
    after: z.string().optional(),
  }),
  response: pageOf(Session),
  errors: ['invalid_input'],
  timeoutMs: 5_000,
});

/** Changes only the fields that are given. `too_large` as in `createSession`. */
export const updateSession = rpc({
  subject: 'rpc.session.update',
  request: z.object({ tenant, id: SessionId, change: z.object(described).partial() }),
  response: Session,
  errors: ['not_found', 'too_large'],
  timeoutMs: 5_000,
});

/** Cancels the run that has the turn, then removes the session with its log. */
export const deleteSession = rpc({
  subject: 'rpc.session.delete',
  request: z.object({ tenant, id: SessionId }),
  response: z.object({}),
  errors: ['not_found'],
  timeoutMs: 10_000,
});
