import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AppSurroundings } from '@parley/host';
import { ensureLogins, migrate, startEmbeddedPostgres } from '@parley/persistence';
import { passedOn, type ClusterConfig } from './config.js';
import { sayHello } from './hello.js';
import { allReady } from './all-ready.js';
import { keyList, secretsOf, type Secrets } from './secrets.js';
import { ownNats } from './servers/own-nats.js';
import { ownRedis } from './servers/own-redis.js';
import { type OwnServer } from './servers/own-server.js';
import { Supervisor } from './supervisor.js';
import { EXECUTOR_SETTINGS, TOPOLOGY, type Service, type Surroundings } from './topology.js';

/** What a start works with. */
export interface ClusterSurroundings extends AppSurroundings {
  /** Tells people one line. */
  say: (line: string) => void;
}

/** A cluster that runs. */
export interface Cluster {
  supervisor: Supervisor;
  /** The servers that this process runs beside Postgres. */
  servers: readonly OwnServer[];
}

/** Starts the servers that are not there already, then every app, waits until all are ready, and greets. */
export const startCluster = async (config: ClusterConfig, surroundings: ClusterSurroundings): Promise<Cluster> => {
  const { say, logger, shutdown } = surroundings;
  await mkdir(join(config.dataDirectory, 'logs'), { recursive: true });
  const secrets = await secretsOf(config);
  const { own, ...servers } = await startServers(config, secrets, surroundings);
  const [simulator, ...others] = TOPOLOGY;
  if (!simulator) throw new TypeError('the topology is empty');
  const at: Surroundings = { ...servers, ...secrets, keys: keyList(secrets.key), simulator: '' };
  const environment = (service: Service): Record<string, string> => environmentOf(service, at);
  const supervisor = new Supervisor({ folder: join(config.dataDirectory, 'logs'), environment, logger });
  shutdown.add('apps', () => supervisor.stop());
  at.simulator = `${(await supervisor.add(simulator)).url}/v1`;
  for (const service of others) {
    for (let copy = 0; copy < service.copies; copy += 1) {
      const first = service.name === 'gateway' && copy === 0;
      await supervisor.add(service, first ? { port: config.port } : {});
    }
  }
  say(`logs: ${join(config.dataDirectory, 'logs')}`);
  await allReady(supervisor, shutdown.signal);
  await sayHello(supervisor, secrets.key, say);
  return { supervisor, servers: own };
};

/** The launcher's own settings go before those of the topology: with a key of yours, executors talk to a real model. */
const environmentOf = (service: Service, at: Surroundings): Record<string, string> => {
  const common = passedOn(['PATH', 'HOME', 'LOG_LEVEL']);
  if (service.name !== 'run-executor') return { ...common, ...service.environment(at) };
  const settings = passedOn(EXECUTOR_SETTINGS);
  const isReal = settings['OPENAI_API_KEY'] !== undefined || settings['OPENAI_BASE_URL'] !== undefined;
  const own = Object.entries(service.environment(at)).filter(([name]) => !isReal || !EXECUTOR_SETTINGS.includes(name));
  return { ...common, ...Object.fromEntries(own), ...settings };
};

interface Servers {
  postgres: string;
  nats: string;
  redis: string;
  /** Those of them that this process runs. */
  own: OwnServer[];
}

const startServers = async (
  config: ClusterConfig,
  { passwords }: Secrets,
  surroundings: ClusterSurroundings,
): Promise<Servers> => {
  const { dataDirectory, servers } = config;
  const postgres = servers.postgres?.reveal() ?? (await startPostgres(config, surroundings));
  await migrate(postgres, { onProgress: (message) => surroundings.say(`database: ${message}`) });
  await ensureLogins(postgres, passwords);
  const nats = servers.nats === undefined ? await ownNats(dataDirectory, passwords) : undefined;
  const redis = servers.redis === undefined ? await ownRedis(dataDirectory, passwords) : undefined;
  const own = [nats, redis].filter((server) => server !== undefined);
  for (const server of own) {
    await server.start();
    surroundings.shutdown.add(server.name, () => server.stop());
  }
  return { postgres, nats: servers.nats ?? nats?.address ?? '', redis: servers.redis ?? redis?.address ?? '', own };
};

const startPostgres = async (
  { dataDirectory }: ClusterConfig,
  { say, logger, shutdown }: ClusterSurroundings,
): Promise<string> => {
  const database = await startEmbeddedPostgres({
    directory: dataDirectory,
    signal: shutdown.signal,
    onProgress: (message) => say(`database: ${message}`),
    onLost: (error) => {
      logger.fatal({ err: error }, 'the database was lost: the cluster ends');
      void shutdown.end(1);
    },
  });
  shutdown.add('database', () => database.stop());
  return database.url;
};
