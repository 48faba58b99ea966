import { NestFactory } from '@nestjs/core';
import { serveHealth, type AppSurroundings } from '@parley/host';
import { connectNats, NatsServer } from '@parley/messaging';
import { assertMigrated, createPrisma, PostgresAgentStore } from '@parley/persistence';
import { AgentRegistryModule } from './agent-registry.module.js';
import { type AgentRegistryConfig } from './config.js';

const STORE = { applicationName: 'parley-agent-registry', role: 'parley_store', max: 6 };

/** Starts the agent registry of a cluster: says how it is, waits for its store and its wire, then answers. */
export const startAgentRegistry = async (config: AgentRegistryConfig, surroundings: AppSurroundings): Promise<void> => {
  const { logger, nestLogger, health, shutdown } = surroundings;
  const databaseUrl = config.database.reveal();
  const nats = connectNats({ url: config.nats.reveal(), name: 'agent-registry' });
  shutdown.add('nats', () => nats.close());
  health.watch('postgres', () => assertMigrated(databaseUrl));
  health.watch('nats', () => nats.check());
  const port = await serveHealth(health, config.health);
  shutdown.add('health', () => port.stop());
  await health.allThere(shutdown.signal);

  const prisma = createPrisma(databaseUrl, STORE);
  shutdown.add('stores', () => prisma.close());
  const module = AgentRegistryModule.with({ agents: new PostgresAgentStore(prisma) });
  const strategy = new NatsServer(nats, 'agent-registry');
  const app = await NestFactory.createMicroservice(module, { strategy, logger: nestLogger });
  shutdown.add('app', () => app.close());
  await app.listen();
  logger.info({ healthPort: port.port }, 'listening');
};
