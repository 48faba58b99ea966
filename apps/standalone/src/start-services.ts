import { type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  InProcessServer,
  type InProcessBus,
  type InProcessFrames,
  type InProcessHub,
  type InProcessPermits,
} from '@parley/messaging';
import {
  createPrisma,
  type PartBlobs,
  PostgresAgentStore,
  PostgresRunLog,
  PostgresSessionStore,
} from '@parley/persistence';
import { Executor } from '@parley/run-executor';
import { ExecutorHandOver } from './executor-hand-over.js';
import { type Models } from './models.js';
import { ServicesModule } from './services.module.js';

/** How services that share this process hear each other. */
export interface Wires {
  hub: InProcessHub;
  bus: InProcessBus;
  frames: InProcessFrames;
  permits: InProcessPermits;
}

/** What the services are made of. */
export interface ServiceSettings {
  databaseUrl: string;
  wires: Wires;
  models: Pick<Models, 'client' | 'isolated'>;
  blobs: PartBlobs;
  executor: { slots: number; graceMs: number };
  logger: LoggerService;
}

/** Connections of the stores of agents and sessions; the run log has its own. */
const STORE_CONNECTIONS = 6;

/** Starts the services behind the gateway: they answer on the bus, and act what is due. */
export const startServices = async (settings: ServiceSettings): Promise<{ stop(): Promise<void> }> => {
  const { databaseUrl, wires, models, blobs, executor, logger } = settings;
  const { hub, ...ports } = wires;
  const store = { applicationName: 'parley-stores', role: 'parley_store', max: STORE_CONNECTIONS };
  const prisma = createPrisma(databaseUrl, store);
  const runLog = PostgresRunLog.connect(databaseUrl);
  const agents = new PostgresAgentStore(prisma);
  const handOver = new ExecutorHandOver();
  const module = ServicesModule.with({
    agentRegistry: { agents },
    session: { ...ports, runLog, sessions: new PostgresSessionStore(prisma), handOver },
    runExecutor: {
      ...ports,
      log: runLog,
      blobs,
      model: models.client,
      options: { ...executor, isAlone: true, isolated: models.isolated },
    },
  });
  const app = await NestFactory.createMicroservice(module, { strategy: new InProcessServer(hub), logger });
  await app.listen();
  handOver.bind(app.get(Executor, { strict: false }));
  return {
    stop: async () => {
      await app.close();
      await runLog.close();
      await prisma.close();
    },
  };
};
