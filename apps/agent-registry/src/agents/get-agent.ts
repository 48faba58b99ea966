import { Injectable } from '@nestjs/common';
import { type getAgent, type ParsedOf } from '@parley/contracts';
import { notFound, type Agent } from '@parley/core';
import { AgentStore } from '@parley/persistence';

/** Finds an agent at its newest version. */
@Injectable()
export class GetAgent {
  constructor(private readonly agents: AgentStore) {}

  async execute({ tenant, agent: address }: ParsedOf<typeof getAgent>): Promise<Agent> {
    const agent = await this.agents.find(tenant, address);
    if (!agent) throw notFound('agent', 'id' in address ? address.id : address.key);
    return agent;
  }
}
