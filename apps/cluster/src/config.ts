import { join, resolve } from 'node:path';
import { appVariables, loadConfig, secret, variable } from '@parley/host';
import { z } from 'zod';

const address = z.string().regex(/^[^:/@\s]+:\d{1,5}$/, 'must be <host>:<port>');

/** What the launcher is told by its environment. */
export const ClusterConfig = z
  .object({
    /** Where secrets, logs and the servers' data live: its folder `cluster`. */
    dataDirectory: variable(
      'PARLEY_DATA_DIR',
      z
        .string()
        .default('.parley')
        .transform((path) => join(resolve(path), 'cluster')),
    ),
    /** Where the first gateway listens. */
    port: variable('PORT', z.coerce.number().int().min(0).max(65_535).default(8_283)),
    /** Servers that are there already; absent: one is started on a private port. */
    servers: z.object({
      /** A database and one who may make roles in it. */
      postgres: variable('POSTGRES_URL', secret().optional()),
      /** `<host>:<port>`; its users are the apps, with the passwords below. */
      nats: variable('NATS_SERVER', address.optional()),
      redis: variable('REDIS_SERVER', address.optional()),
    }),
    /** Passwords of the apps; absent: made at the first start. */
    passwords: z.object({
      gateway: variable('GATEWAY_PASSWORD', secret().optional()),
      'agent-registry': variable('AGENT_REGISTRY_PASSWORD', secret().optional()),
      session: variable('SESSION_PASSWORD', secret().optional()),
      'run-executor': variable('RUN_EXECUTOR_PASSWORD', secret().optional()),
    }),
    ...appVariables,
  })
  .refine(({ servers, passwords }) => (!servers.nats && !servers.redis) || Object.values(passwords).every(Boolean), {
    path: ['passwords', 'session'],
    error: 'NATS_SERVER and REDIS_SERVER need the passwords of all apps that are set up there',
  });
export type ClusterConfig = z.infer<typeof ClusterConfig>;

/** Reads the environment; ends the process with all of its mistakes if there are any. */
export const configFromEnvironment = (): ClusterConfig => loadConfig(ClusterConfig, process.env);

/** The settings of that name that the launcher's environment has. */
export const passedOn = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
