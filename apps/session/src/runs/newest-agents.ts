import { Injectable } from '@nestjs/common';
import { getAgent } from '@parley/contracts';
import { type AgentId, type Budget, type TenantId } from '@parley/core';
import { Bus } from '@parley/messaging';

/** What an admission has to know of an agent. */
export interface NewestAgent {
  version: number;
  budget: Budget;
}

const KEPT = 10_000;

/**
 * The newest version of each agent, as far as this process knows. It may be out of date: the admission that finds
 * another one writes nothing and says so (DESIGN §3). The least recently used are forgotten.
 */
@Injectable()
export class NewestAgents {
  readonly #known = new Map<string, NewestAgent>();

  constructor(private readonly bus: Bus) {}

  /** @throws PlatformError `not_found`; `unavailable` or `timeout` while the registry is away. */
  async get(tenant: TenantId, id: AgentId, deadline?: Date): Promise<NewestAgent> {
    const key = `${tenant}/${id}`;
    const known = this.#known.get(key);
    if (known) return this.#keep(key, known);
    const agent = await this.bus.request(getAgent, { tenant, agent: { id } }, deadline ? { deadline } : {});
    return this.#keep(key, { version: agent.version, budget: agent.definition.budget });
  }

  /** What was known has turned out not to be so. */
  forget(tenant: TenantId, id: AgentId): void {
    this.#known.delete(`${tenant}/${id}`);
  }

  #keep(key: string, agent: NewestAgent): NewestAgent {
    this.#known.delete(key);
    this.#known.set(key, agent);
    const oldest = this.#known.keys().next();
    if (this.#known.size > KEPT && !oldest.done) this.#known.delete(oldest.value);
    return agent;
  }
}
