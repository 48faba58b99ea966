import { Injectable } from '@nestjs/common';
import { type ParsedOf, type reviseAgent } from '@parley/contracts';
import { notFound, PlatformError, type Agent } from '@parley/core';
import { AgentStore } from '@parley/persistence';
import { refuseUnusable } from './refuse-unusable.js';

/** Makes the next version of an agent, unless somebody else has done so meanwhile. */
@Injectable()
export class ReviseAgent {
  constructor(private readonly agents: AgentStore) {}

  async execute({ tenant, id, expected, definition }: ParsedOf<typeof reviseAgent>): Promise<Agent> {
    refuseUnusable(definition);
    const revised = await this.agents.revise(tenant, id, expected, definition);
    if (revised === 'not_found') throw notFound('agent', id);
    if (revised === 'outdated') {
      const message = `agent '${id}' was changed meanwhile: version ${expected} is not its newest; read it and try again`;
      throw new PlatformError('conflict', message, { noun: 'agent', id });
    }
    return revised;
  }
}
