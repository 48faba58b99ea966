import { NestFactory } from '@nestjs/core';
import { serveHealth, type AppSurroundings } from '@parley/host';
import { ServiceWires } from '@parley/messaging';
import { assertMigrated, createPrisma, PostgresRunLog, PostgresSessionStore } from '@parley/persistence';
import { type SessionConfig } from './config.js';
import { NoHandOver } from './runs/direct-hand-over.js';
import { SessionModule } from './session.module.js';

const STORE = { applicationName: 'parley-session', role: 'parley_store', max: 6 };

/** Starts the session service of a cluster: says how it is, waits for its stores and wires, then answers. */
export const startSession = async (config: SessionConfig, surroundings: AppSurroundings): Promise<void> => {
  const { logger, nestLogger, health, shutdown } = surroundings;
  const databaseUrl = config.database.reveal();
  const wires = new ServiceWires({ nats: config.nats.reveal(), redis: config.redis.reveal() }, 'session');
  shutdown.add('wires', () => wires.close());
  health.watch('postgres', () => assertMigrated(databaseUrl));
  wires.watchedBy(health);
  const port = await serveHealth(health, config.health);
  shutdown.add('health', () => port.stop());
  await health.allThere(shutdown.signal);

  const runLog = PostgresRunLog.connect(databaseUrl);
  shutdown.add('run log', () => runLog.close());
  const prisma = createPrisma(databaseUrl, STORE);
  shutdown.add('stores', () => prisma.close());
  const sessions = new PostgresSessionStore(prisma);
  const module = SessionModule.with({ ...wires.open(), runLog, sessions, handOver: new NoHandOver() });
  const app = await NestFactory.createMicroservice(module, { strategy: wires.server(), logger: nestLogger });
  shutdown.add('app', () => app.close());
  await app.listen();
  logger.info({ healthPort: port.port }, 'listening');
};
