import { NestFactory } from '@nestjs/core';
import { ModelClient, Providers, type ProviderTable } from '@parley/effects';
import { serveHealth, type AppSurroundings } from '@parley/host';
import { ServiceWires } from '@parley/messaging';
import { Outbound } from '@parley/outbound';
import { assertMigrated, createPrisma, PartBlobs, PostgresBlobStore, PostgresRunLog } from '@parley/persistence';
import { type Configuration } from './config.js';
import { configuredProviders } from './configured-providers.js';
import { isolatedProgram } from './isolation/isolated-program.js';
import { RunExecutorModule } from './run-executor.module.js';

/** Its connections for large words (DESIGN §6); the run log has its own. */
const BLOBS = { applicationName: 'parley-run-executor', role: 'parley_blob', max: 4 };

/** Starts a run executor of a cluster: says how it is, waits for its stores and wires, then acts what is due. */
export const startRunExecutor = async (config: Configuration, surroundings: AppSurroundings): Promise<void> => {
  const { logger, nestLogger, health, shutdown } = surroundings;
  const providers = providerTable(config);
  const databaseUrl = config.database.reveal();
  const wires = new ServiceWires({ nats: config.nats.reveal(), redis: config.redis.reveal() }, 'run-executor');
  shutdown.add('wires', () => wires.close());
  health.watch('postgres', () => assertMigrated(databaseUrl));
  wires.watchedBy(health);
  const port = await serveHealth(health, config.health);
  shutdown.add('health', () => port.stop());
  await health.allThere(shutdown.signal);

  const log = PostgresRunLog.connect(databaseUrl);
  shutdown.add('run log', () => log.close());
  const database = createPrisma(databaseUrl, BLOBS);
  shutdown.add('blobs', () => database.close());
  const module = RunExecutorModule.with({
    ...wires.open(),
    log,
    blobs: new PartBlobs(new PostgresBlobStore(database)),
    model: new ModelClient(new Outbound(), new Providers(providers)),
    options: { ...config.executor, isAlone: false, isolated: isolatedProgram(providers) },
  });
  const app = await NestFactory.createMicroservice(module, { strategy: wires.server(), logger: nestLogger });
  shutdown.add('app', () => app.close());
  await app.listen();
  logger.info({ healthPort: port.port }, 'listening');
};

const providerTable = (config: Configuration): ProviderTable => {
  const providers = configuredProviders(config);
  const [first] = Object.keys(providers);
  const chosen = config.providers.default ?? (providers['openai'] ? 'openai' : first);
  if (chosen === undefined) {
    throw new Error('there is no model provider: set OPENAI_API_KEY, OPENAI_BASE_URL or PARLEY_PROVIDERS_FILE');
  }
  return { default: chosen, providers };
};
