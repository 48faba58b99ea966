import { Agent, AgentDefinition, AgentId, AgentVersion, Key, pageOf, TenantId } from '@parley/core';
import { z } from 'zod';
import { rpc } from './define.js';

const tenant = TenantId;

/** An agent by its id or by the key its maker gave it. */
export const AgentAddress = z.union([z.object({ id: AgentId }), z.object({ key: Key })]);
export type AgentAddress = z.infer<typeof AgentAddress>;

/**
 * Asking twice with one `id` gives the first answer. `conflict`: the key belongs to another agent. `too_large`: the
 * definition weighs more than a page of a list may, `MAX_PAGE_BYTES` of JSON.
 */
export const createAgent = rpc({
  subject: 'rpc.agent.create',
  request: z.object({ tenant, id: AgentId, key: Key, definition: AgentDefinition }),
  response: Agent,
  errors: ['conflict', 'invalid_input', 'too_large'],
  timeoutMs: 5_000,
});

/** An agent at its newest version. */
export const getAgent = rpc({
  subject: 'rpc.agent.get',
  request: z.object({ tenant, agent: AgentAddress }),
  response: Agent,
  errors: ['not_found'],
  timeoutMs: 5_000,
});

/** One immutable version; what it answers may be kept for ever. */
export const getAgentVersion = rpc({
  subject: 'rpc.agent.get-version',
  request: z.object({ tenant, id: AgentId, version: z.number().int().positive() }),
  response: AgentVersion,
  errors: ['not_found'],
  timeoutMs: 5_000,
});

/**
 * Newest first, by (created, id); closes at `limit` agents or 512 KiB. `pattern` is an RE2 expression that name or
 * description has to contain a match of.
 */
export const listAgents = rpc({
  subject: 'rpc.agent.list',
  request: z.object({
    tenant,
    pattern: z.string().max(256).optional(),
    enabled: z.boolean().optional(),
    limit: z.number().int().min(1).max(1000),
    after: z.string().optional(),
  }),
  response: pageOf(Agent),
  errors: ['invalid_input'],
  timeoutMs: 5_000,
});

/**
 * Makes the next version. `expected`: the version that the change was computed from; `conflict` if there is a newer one.
 * `too_large` as in `createAgent`.
 */
export const reviseAgent = rpc({
  subject: 'rpc.agent.revise',
  request: z.object({ tenant, id: AgentId, expected: z.number().int().positive(), definition: AgentDefinition }),
  response: Agent,
  errors: ['not_found', 'conflict', 'invalid_input', 'too_large'],
  timeoutMs: 5_000,
});

/** Removes the agent and all its versions. `illegal_state` while it still has sessions. */
export const deleteAgent = rpc({
  subject: 'rpc.agent.delete',
  request: z.object({ tenant, id: AgentId }),
  response: z.object({}),
  errors: ['not_found', 'illegal_state'],
  timeoutMs: 30_000,
});
