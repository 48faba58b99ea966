import {
  type createAgent,
  type AgentAddress,
  type listAgents,
  type ParsedOf,
  type reviseAgent,
} from '@parley/contracts';
import {
  type Agent,
  type AgentDefinition,
  type AgentId,
  notFound,
  type Page,
  PlatformError,
  type TenantId,
} from '@parley/core';
import { matches, pageOfItems } from './fake-page.js';

/** Agents in memory, at their newest version. */
export class FakeAgents {
  readonly #agents = new Map<string, Agent & { tenant: TenantId }>();

  create({ tenant, id, key, definition }: ParsedOf<typeof createAgent>): Agent {
    const known = this.#agents.get(id);
    if (known) return known;
    if (this.#find(tenant, { key })) throw new PlatformError('conflict', `an agent has the key '${key}'`);
    const now = new Date();
    const agent = { tenant, agent: id, key, version: 1, definition, createdAt: now, agentCreatedAt: now };
    this.#agents.set(id, agent);
    return agent;
  }

  /** @throws PlatformError `not_found`. */
  get(tenant: TenantId, address: AgentAddress): Agent {
    const agent = this.#find(tenant, address);
    if (!agent) throw notFound('agent', 'id' in address ? address.id : address.key);
    return agent;
  }

  list({ tenant, pattern, enabled, ...page }: ParsedOf<typeof listAgents>): Page<Agent> {
    const found = [...this.#agents.values()].reverse().filter((agent) => {
      const { name, description, enabled: isOn } = agent.definition;
      const isWanted = enabled === undefined || enabled === isOn;
      return agent.tenant === tenant && isWanted && matches(pattern, name, description);
    });
    return pageOfItems<Agent>(found, page);
  }

  revise({ tenant, id, expected, definition }: ParsedOf<typeof reviseAgent>): Agent {
    const agent = this.get(tenant, { id });
    if (agent.version !== expected) throw new PlatformError('conflict', `version ${agent.version} is the newest`);
    const revised = { ...agent, tenant, version: expected + 1, definition, createdAt: new Date() };
    this.#agents.set(id, revised);
    return revised;
  }

  delete(tenant: TenantId, id: AgentId): Record<string, never> {
    this.get(tenant, { id });
    this.#agents.delete(id);
    return {};
  }

  /** The agent of a key, whoever has it. */
  keyed(key: string): Agent | undefined {
    return [...this.#agents.values()].find((agent) => agent.key === key);
  }

  /** Changes an agent behind the back of every API. */
  change(key: string, change: (definition: AgentDefinition) => AgentDefinition): void {
    const kept = [...this.#agents.values()].find((agent) => agent.key === key);
    if (!kept) throw notFound('agent', key);
    this.#agents.set(kept.agent, { ...kept, version: kept.version + 1, definition: change(kept.definition) });
  }

  #find(tenant: TenantId, address: AgentAddress): Agent | undefined {
    return [...this.#agents.values()].find(
      (agent) => agent.tenant === tenant && ('id' in address ? agent.agent === address.id : agent.key === address.key),
    );
  }
}
