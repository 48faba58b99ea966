import { NestFactory } from '@nestjs/core';
import { serveHealth, type AppSurroundings } from '@parley/host';
import { BullPermits, connectNats, connectRedis, NatsBus, NatsFrames, NatsServer } from '@parley/messaging';
import { assertMigrated, createPrisma, PostgresRunLog, PostgresSessionStore } from '@parley/persistence';
import { type SessionConfig } from './config.js';
import { NoHandOver } from './runs/direct-hand-over.js';
import { SessionModule } from './session.module.js';

const STORE = { applicationName: 'parley-session', role: 'parley_store', max: 6 };

/** Starts the session service of a cluster: says how it is, waits for its stores and wires, then answers. */
export const startSession = async (config: SessionConfig, surroundings: AppSurroundings): Promise<void> => {
  const { logger, nestLogger, health, shutdown } = surroundings;
  const databaseUrl = config.database.reveal();
  const nats = connectNats({ url: config.nats.reveal(), name: 'session' });
  const redis = connectRedis({ url: config.redis.reveal() });
  shutdown.add('redis', () => redis.close());
  shutdown.add('nats', () => nats.close());
  health.watch('postgres', () => assertMigrated(databaseUrl));
  health.watch('nats', () => nats.check());
  health.watch('redis', () => redis.check(), { needed: false });
  const port = await serveHealth(health, config.health);
  shutdown.add('health', () => port.stop());
  await health.allThere(shutdown.signal);

  const runLog = PostgresRunLog.connect(databaseUrl);
  shutdown.add('run log', () => runLog.close());
  const prisma = createPrisma(databaseUrl, STORE);
  shutdown.add('stores', () => prisma.close());
  const permits = new BullPermits(redis);
  shutdown.add('permits', () => permits.close());
  const wires = { bus: new NatsBus(nats), frames: new NatsFrames(nats), permits };
  const sessions = new PostgresSessionStore(prisma);
  const module = SessionModule.with({ ...wires, runLog, sessions, handOver: new NoHandOver() });
  const strategy = new NatsServer(nats, 'session');
  const app = await NestFactory.createMicroservice(module, { strategy, logger: nestLogger });
  shutdown.add('app', () => app.close());
  await app.listen();
  logger.info({ healthPort: port.port }, 'listening');
};
