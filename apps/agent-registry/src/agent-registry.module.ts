import { Module, type DynamicModule } from '@nestjs/common';
import { AgentStore } from '@parley/persistence';
import { AgentReadHandlers, AgentWriteHandlers } from './agents/agent.handlers.js';
import { CreateAgent } from './agents/create-agent.js';
import { DeleteAgent } from './agents/delete-agent.js';
import { GetAgent } from './agents/get-agent.js';
import { GetAgentVersion } from './agents/get-agent-version.js';
import { ListAgents } from './agents/list-agents.js';
import { ReviseAgent } from './agents/revise-agent.js';

/** What the agent registry works with. */
export interface AgentRegistryPorts {
  agents: AgentStore;
}

/** Defines, versions and finds agents. */
@Module({})
export class AgentRegistryModule {
  static with({ agents }: AgentRegistryPorts): DynamicModule {
    return {
      module: AgentRegistryModule,
      controllers: [AgentReadHandlers, AgentWriteHandlers],
      providers: [
        { provide: AgentStore, useValue: agents },
        CreateAgent,
        DeleteAgent,
        GetAgent,
        GetAgentVersion,
        ListAgents,
        ReviseAgent,
      ],
    };
  }
}
