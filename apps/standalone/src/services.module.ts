import { Module, type DynamicModule } from '@nestjs/common';
import { AgentRegistryModule, type AgentRegistryPorts } from '@parley/agent-registry';
import { RunExecutorModule, type RunExecutorPorts } from '@parley/run-executor';
import { SessionModule, type SessionPorts } from '@parley/session';

/** What the services behind the gateway work with. */
export interface ServicePorts {
  agentRegistry: AgentRegistryPorts;
  session: SessionPorts;
  runExecutor: RunExecutorPorts;
}

/** The services behind the gateway, in one process; they talk over the bus as they do when each has its own. */
@Module({})
export class ServicesModule {
  static with({ agentRegistry, session, runExecutor }: ServicePorts): DynamicModule {
    return {
      module: ServicesModule,
      imports: [
        AgentRegistryModule.with(agentRegistry),
        SessionModule.with(session),
        RunExecutorModule.with(runExecutor),
      ],
    };
  }
}
