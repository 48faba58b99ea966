import { type DatabaseApp, loginOf } from '@parley/persistence';
import { type NatsApp } from '@parley/messaging';

/** Where the servers are, and what opens them. */
export interface Surroundings {
  /** Of the database: host, port and name as a URL without credentials. */
  postgres: string;
  /** `<host>:<port>`. */
  nats: string;
  redis: string;
  simulator: string;
  passwords: Readonly<Record<NatsApp, string>>;
  /** SHA-256 of the key that the gateway lets in, with its tenant. */
  keys: string;
  cursorSecret: string;
}

/** An app of the cluster. */
export type ServiceName = NatsApp | 'model-simulator';

/** How an app runs in a cluster. */
export interface Service {
  name: ServiceName;
  /** Processes of it at the start. */
  copies: number;
  /** The variable that its port is told by. */
  portVariable: 'PORT' | 'HEALTH_PORT';
  /** Its port where it has a host of its own. */
  port: number;
  /** Answers 200 as soon as it can do its work. */
  readyPath: string;
  /** What it is told beside its port. */
  environment: (surroundings: Surroundings) => Record<string, string>;
}

/** What of the launcher's own environment an app gets where it is set. */
export const EXECUTOR_SETTINGS: readonly string[] = [
  ...['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'PARLEY_PROVIDERS_FILE'],
  ...['PARLEY_EXECUTOR_SLOTS', 'PARLEY_SHUTDOWN_GRACE_MS'],
];

const databaseUrl = (app: DatabaseApp, { postgres, passwords }: Surroundings): string => {
  const url = new URL(postgres);
  url.username = loginOf(app);
  url.password = encodeURIComponent(passwords[app]);
  return url.href;
};

const serverUrl = (scheme: string, app: NatsApp, address: string, { passwords }: Surroundings): string =>
  `${scheme}://${app}:${encodeURIComponent(passwords[app])}@${address}`;

const natsUrl = (app: NatsApp, at: Surroundings): string => serverUrl('nats', app, at.nats, at);
const redisUrl = (app: NatsApp, at: Surroundings): string => serverUrl('redis', app, at.redis, at);

const quiet = { portVariable: 'HEALTH_PORT', port: 8284, readyPath: '/health/ready' } as const;

/** The apps of a cluster, in the order in which they are started. `docker-compose.yml` is held against it. */
export const TOPOLOGY: readonly Service[] = [
  {
    ...{ name: 'model-simulator', copies: 1, portVariable: 'PORT', port: 8290, readyPath: '/v1/models' },
    environment: () => ({}),
  },
  {
    ...{ name: 'agent-registry', copies: 1, ...quiet },
    environment: (at) => ({
      DATABASE_URL: databaseUrl('agent-registry', at),
      NATS_URL: natsUrl('agent-registry', at),
    }),
  },
  {
    ...{ name: 'session', copies: 1, ...quiet },
    environment: (at) => ({
      DATABASE_URL: databaseUrl('session', at),
      NATS_URL: natsUrl('session', at),
      REDIS_URL: redisUrl('session', at),
    }),
  },
  {
    ...{ name: 'run-executor', copies: 2, ...quiet },
    environment: (at) => ({
      DATABASE_URL: databaseUrl('run-executor', at),
      NATS_URL: natsUrl('run-executor', at),
      REDIS_URL: redisUrl('run-executor', at),
      OPENAI_BASE_URL: at.simulator,
      OPENAI_MODEL: 'sim-60-20',
    }),
  },
  {
    ...{ name: 'gateway', copies: 1, portVariable: 'PORT', port: 8283, readyPath: '/health/ready' },
    environment: (at) => ({
      DATABASE_URL: databaseUrl('gateway', at),
      NATS_URL: natsUrl('gateway', at),
      PARLEY_KEYS: at.keys,
      PARLEY_CURSOR_SECRET: at.cursorSecret,
    }),
  },
];
