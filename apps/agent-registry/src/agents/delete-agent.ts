import { Injectable } from '@nestjs/common';
import { type deleteAgent, type ParsedOf } from '@parley/contracts';
import { notFound, PlatformError } from '@parley/core';
import { AgentStore } from '@parley/persistence';

/** Removes an agent that no session needs any more. */
@Injectable()
export class DeleteAgent {
  constructor(private readonly agents: AgentStore) {}

  async execute({ tenant, id }: ParsedOf<typeof deleteAgent>): Promise<void> {
    const outcome = await this.agents.remove(tenant, id);
    if (outcome === 'not_found') throw notFound('agent', id);
    if (outcome === 'has_sessions') {
      const message = `agent '${id}' still has sessions: delete them first`;
      throw new PlatformError('illegal_state', message, { noun: 'agent', id });
    }
  }
}
