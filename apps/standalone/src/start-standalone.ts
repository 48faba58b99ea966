import { createHash } from 'node:crypto';
import { DEFAULT_TENANT, hashKey, ListedKeys, openGateway } from '@parley/gateway';
import { type AppSurroundings } from '@parley/host';
import { InProcessBus, InProcessFrames, InProcessHub, InProcessPermits } from '@parley/messaging';
import {
  assertMigrated,
  createPrisma,
  migrate,
  PartBlobs,
  PostgresBlobStore,
  startEmbeddedPostgres,
} from '@parley/persistence';
import { accessKey } from './access-key.js';
import { type Configuration } from './config.js';
import { greetingLines } from './hello/greeting.js';
import { findConversation } from './hello/hello-agent.js';
import { startModels } from './models.js';
import { startServices } from './start-services.js';

/** Connections for large words (DESIGN §6). */
const BLOBS = { applicationName: 'parley-blobs', role: 'parley_blob', max: 4 };

/** What a start works with. */
export interface Surroundings extends AppSurroundings {
  /** Tells people one line. */
  say: (line: string) => unknown;
}

/** Starts everything: the database, then the services, then the door; then greets. Stops where the end begins meanwhile. */
export const startStandalone = async (config: Configuration, surroundings: Surroundings): Promise<void> => {
  const { say, logger, nestLogger, health, shutdown } = surroundings;
  const databaseUrl = await startDatabase(config, surroundings);
  const key = await accessKey(config.dataDirectory);
  const models = await startModels(config, (message, details) => logger.warn(details, message));
  shutdown.add('models', () => models.stop());
  shutdown.signal.throwIfAborted();

  const hub = new InProcessHub();
  const wires = { hub, bus: new InProcessBus(hub), frames: new InProcessFrames(), permits: new InProcessPermits() };
  const blobStore = createPrisma(databaseUrl, BLOBS);
  shutdown.add('blobs', () => blobStore.close());
  const blobs = new PartBlobs(new PostgresBlobStore(blobStore));
  const ports = { databaseUrl, wires, models, blobs };
  const services = await startServices({ ...ports, executor: config.executor, logger: nestLogger });
  shutdown.add('services', () => services.stop());
  shutdown.signal.throwIfAborted();

  health.watch('postgres', () => assertMigrated(databaseUrl));
  const door = {
    keys: new ListedKeys([{ tenant: DEFAULT_TENANT, sha256: hashKey(key) }, ...config.gateway.keys]),
    openTo: config.gateway.open ? DEFAULT_TENANT : null,
    cursorSecret: config.gateway.cursorSecret?.reveal() ?? createHash('sha256').update(`cursors ${key}`).digest('hex'),
  };
  const { port, host } = config.gateway;
  const { bus, frames } = wires;
  const gateway = await openGateway({ port, host, ...door, bus, frames, blobs, health, logger: nestLogger });
  shutdown.add('gateway', () => gateway.stop());
  shutdown.signal.throwIfAborted();

  const conversation = await findConversation(wires.bus, DEFAULT_TENANT, models);
  const greeting = { url: gateway.url, key: config.gateway.open ? null : key, conversation };
  const { simulated } = models;
  for (const line of greetingLines({ ...greeting, simulated, dataDirectory: config.dataDirectory })) say(line);
  logger.info({ url: gateway.url }, 'listening');
};

const startDatabase = async (config: Configuration, { say, logger, shutdown }: Surroundings): Promise<string> => {
  const database = await startEmbeddedPostgres({
    directory: config.dataDirectory,
    signal: shutdown.signal,
    onProgress: (message) => say(`database: ${message}`),
    onLost: (error) => {
      logger.fatal({ err: error }, 'the database was lost: the process ends');
      void shutdown.end(1);
    },
  });
  shutdown.add('database', () => database.stop());
  shutdown.signal.throwIfAborted();
  await migrate(database.url, { onProgress: (message) => say(`database: ${message}`) });
  return database.url;
};
