import { Injectable } from '@nestjs/common';
import { type listAgents, type ParsedOf } from '@parley/contracts';
import { type Agent, type Page } from '@parley/core';
import { AgentStore } from '@parley/persistence';

/** Lists agents, newest first. */
@Injectable()
export class ListAgents {
  constructor(private readonly agents: AgentStore) {}

  execute({ tenant, ...query }: ParsedOf<typeof listAgents>): Promise<Page<Agent>> {
    return this.agents.list(tenant, query);
  }
}
