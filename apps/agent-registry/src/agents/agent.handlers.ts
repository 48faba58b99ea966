import { Controller } from '@nestjs/common';
import {
  createAgent,
  deleteAgent,
  getAgent,
  getAgentVersion,
  listAgents,
  reviseAgent,
  type ParsedOf,
} from '@parley/contracts';
import { type Agent, type AgentVersion, type Page } from '@parley/core';
import { Handles } from '@parley/messaging';
import { CreateAgent } from './create-agent.js';
import { DeleteAgent } from './delete-agent.js';
import { GetAgent } from './get-agent.js';
import { GetAgentVersion } from './get-agent-version.js';
import { ListAgents } from './list-agents.js';
import { ReviseAgent } from './revise-agent.js';

/** Reads of agents, from the bus to their use cases. */
@Controller()
export class AgentReadHandlers {
  constructor(
    private readonly getting: GetAgent,
    private readonly gettingVersion: GetAgentVersion,
    private readonly listing: ListAgents,
  ) {}

  @Handles(getAgent)
  get(request: ParsedOf<typeof getAgent>): Promise<Agent> {
    return this.getting.execute(request);
  }

  @Handles(getAgentVersion)
  getVersion(request: ParsedOf<typeof getAgentVersion>): Promise<AgentVersion> {
    return this.gettingVersion.execute(request);
  }

  @Handles(listAgents)
  list(request: ParsedOf<typeof listAgents>): Promise<Page<Agent>> {
    return this.listing.execute(request);
  }
}

/** Changes of agents, from the bus to their use cases. */
@Controller()
export class AgentWriteHandlers {
  constructor(
    private readonly creating: CreateAgent,
    private readonly revising: ReviseAgent,
    private readonly deleting: DeleteAgent,
  ) {}

  @Handles(createAgent)
  create(request: ParsedOf<typeof createAgent>): Promise<Agent> {
    return this.creating.execute(request);
  }

  @Handles(reviseAgent)
  revise(request: ParsedOf<typeof reviseAgent>): Promise<Agent> {
    return this.revising.execute(request);
  }

  @Handles(deleteAgent)
  async delete(request: ParsedOf<typeof deleteAgent>): Promise<Record<string, never>> {
    await this.deleting.execute(request);
    return {};
  }
}
