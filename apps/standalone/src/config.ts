import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProviderFileError, readProviderFile, type ProviderFile } from '@parley/effects';
import { GatewayConfig } from '@parley/gateway';
import { ConfigError, CrashAt, loadConfig, refuseToStart, LOG_LEVELS, secret, variable } from '@parley/host';
import { z } from 'zod';

/** What standalone is told by its environment. */
export const Config = z.object({
  /** Where the database, the key and the logs of the server live. */
  dataDirectory: variable(
    'PARLEY_DATA_DIR',
    z
      .string()
      .default('.parley')
      .transform((path) => resolve(path)),
  ),
  gateway: GatewayConfig,
  openai: z.object({
    /** With a key (or an address of your own) agent `hello` talks to this provider, else to the simulator. */
    apiKey: variable('OPENAI_API_KEY', secret().optional()),
    baseUrl: variable('OPENAI_BASE_URL', z.url({ protocol: /^https?$/ }).optional()),
    /** The model of agents that name the provider alone. */
    model: variable('OPENAI_MODEL', z.string().min(1).default('gpt-4o-mini')),
  }),
  /** A file of more providers; it goes before OPENAI_*. */
  providersFile: variable('PARLEY_PROVIDERS_FILE', z.string().optional()),
  executor: z.object({
    /** Runs acted at once. */
    slots: variable('PARLEY_EXECUTOR_SLOTS', z.coerce.number().int().min(1).max(10_000).default(512)),
    /** How long running runs may take to end by themselves when Parley is told to stop, in milliseconds. */
    graceMs: variable('PARLEY_SHUTDOWN_GRACE_MS', z.coerce.number().int().min(0).max(10_000).default(2_000)),
  }),
  logLevel: variable('LOG_LEVEL', z.enum(LOG_LEVELS).default('info')),
  /** For tests: where the process is to kill itself. */
  crashAt: variable('CRASH_AT', CrashAt.optional()),
});
export type Config = z.infer<typeof Config>;

/** The environment, and what stands in the files that it names. */
export interface Configuration extends Config {
  providers: ProviderFile;
}

/** Reads the environment and the files that it names; ends the process with all of their mistakes if there are any. */
export const configFromEnvironment = (): Configuration => {
  const config = loadConfig(Config, process.env);
  return { ...config, providers: providersIn(config.providersFile) };
};

const providersIn = (path: string | undefined): ProviderFile => {
  if (path === undefined) return { providers: {} };
  try {
    return readProviderFile(readFileSync(path, 'utf8'), process.env);
  } catch (error) {
    const mistakes = error instanceof ProviderFileError ? error.message.split('\n') : [String(error)];
    return refuseToStart(new ConfigError(mistakes.map((mistake) => `PARLEY_PROVIDERS_FILE: ${path}: ${mistake}`)));
  }
};
