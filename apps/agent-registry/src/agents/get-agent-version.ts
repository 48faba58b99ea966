import { Injectable } from '@nestjs/common';
import { type getAgentVersion, type ParsedOf } from '@parley/contracts';
import { notFound, type AgentVersion } from '@parley/core';
import { AgentStore } from '@parley/persistence';

/** Finds one version of an agent. */
@Injectable()
export class GetAgentVersion {
  constructor(private readonly agents: AgentStore) {}

  async execute({ tenant, id, version }: ParsedOf<typeof getAgentVersion>): Promise<AgentVersion> {
    const found = await this.agents.findVersion(tenant, id, version);
    if (!found) throw notFound('agent version', `${id}/${version}`);
    return found;
  }
}
