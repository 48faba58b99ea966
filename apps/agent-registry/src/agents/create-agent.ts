import { Injectable } from '@nestjs/common';
import { type createAgent, type ParsedOf } from '@parley/contracts';
import { type Agent } from '@parley/core';
import { AgentStore } from '@parley/persistence';
import { refuseUnusable } from './refuse-unusable.js';

/** Makes an agent at version 1; asking twice with one id gives the first answer. */
@Injectable()
export class CreateAgent {
  constructor(private readonly agents: AgentStore) {}

  async execute({ tenant, ...agent }: ParsedOf<typeof createAgent>): Promise<Agent> {
    refuseUnusable(agent.definition);
    return this.agents.create(tenant, agent);
  }
}
