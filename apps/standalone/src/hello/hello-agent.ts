import { createAgent, createSession, getAgent, listAgents, listSessions, reviseAgent } from '@parley/contracts';
import { AgentId, DEFAULT_BUDGET, deriveId, PlatformError, SessionId, type Agent, type TenantId } from '@parley/core';
import { type Bus } from '@parley/messaging';
import { type Models } from '../models.js';

const KEY = 'hello';

const TEMPLATE = `You are the hello agent of Parley, a self-hosted agent server. Greet the user, answer briefly, and say that
this conversation is durable: whatever is killed and started again, it goes on where it was.`;

/** Somebody to talk to: an agent and a session of it that take messages now. */
export interface Conversation {
  agent: string;
  session: string;
}

/** The model that `hello` is to talk to, and all that a start may give it. */
export type HelloModels = Pick<Models, 'helloHandle' | 'helloHandles'>;

/**
 * Finds a conversation to show a newcomer. Where the tenant has no agent at all, agent `hello` is made, with a session
 * `hello`; where `hello` is still one of ours, its model follows what is configured now.
 */
export const findConversation = async (
  bus: Bus,
  tenant: TenantId,
  models: HelloModels,
): Promise<Conversation | undefined> => {
  const hello = await findHello(bus, tenant);
  const { items } = await bus.request(listAgents, { tenant, enabled: true, limit: 1 });
  if (hello) await followModel(bus, tenant, hello, models);
  const agent = hello?.definition.enabled
    ? hello
    : (items[0] ?? (await makeWhereNoneIs(bus, tenant, models.helloHandle)));
  return agent && { agent: agent.key, session: await findSession(bus, tenant, agent) };
};

const findHello = async (bus: Bus, tenant: TenantId): Promise<Agent | undefined> => {
  try {
    return await bus.request(getAgent, { tenant, agent: { key: KEY } });
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'not_found') return undefined;
    throw error;
  }
};

/** The first start only: whoever has agents, enabled or not, has made up their mind. */
const makeWhereNoneIs = async (bus: Bus, tenant: TenantId, handle: string): Promise<Agent | undefined> => {
  const { items } = await bus.request(listAgents, { tenant, limit: 1 });
  if (items.length > 0) return undefined;
  return bus.request(createAgent, {
    tenant,
    id: deriveId(AgentId, { tenant, kind: 'agent', key: KEY }),
    key: KEY,
    definition: {
      name: 'Hello',
      description: 'Says hello. Made by Parley at its first start.',
      enabled: true,
      model: { handle, parameters: {} },
      instructions: [{ name: 'hello', template: TEMPLATE }],
      budget: DEFAULT_BUDGET,
      metadata: {},
      facets: {},
    },
  });
};

/** `hello` goes from the simulator to the real provider and back; with any other model it is the user's own. */
const followModel = async (
  bus: Bus,
  tenant: TenantId,
  { definition, agent: id, version: expected }: Agent,
  { helloHandle, helloHandles }: HelloModels,
): Promise<void> => {
  const { model } = definition;
  if (model.handle === helloHandle || !helloHandles.includes(model.handle)) return;
  const revised = { ...definition, model: { ...model, handle: helloHandle } };
  await bus.request(reviseAgent, { tenant, id, expected, definition: revised });
};

const findSession = async (bus: Bus, tenant: TenantId, { agent, key }: Agent): Promise<string> => {
  const { items } = await bus.request(listSessions, { tenant, agent, limit: 20 });
  const open = items.find(({ enabled, active }) => enabled && active === null);
  if (open) return open.key;
  const name = items.some((session) => session.key === KEY) ? `${KEY}-${Date.now().toString(36)}` : KEY;
  const id = deriveId(SessionId, { tenant, kind: 'session', key: `${key} ${name}` });
  const described = { name: 'Hello', description: null, metadata: {}, facets: {}, enabled: true };
  return (await bus.request(createSession, { tenant, id, agent, key: name, ...described })).key;
};
