import { readFileSync } from 'node:fs';
import { ProviderFileError, readProviderFile, type ProviderFile } from '@parley/effects';
import {
  appVariables,
  ConfigError,
  healthVariables,
  loadConfig,
  refuseToStart,
  secret,
  serverVariables,
  variable,
  type Environment,
} from '@parley/host';
import { z } from 'zod';

/** Which models there are: also what standalone is told. */
export const modelVariables = {
  openai: z.object({
    /** With a key, or an address of your own, there is a provider `openai`. */
    apiKey: variable('OPENAI_API_KEY', secret().optional()),
    baseUrl: variable('OPENAI_BASE_URL', z.url({ protocol: /^https?$/ }).optional()),
    /** The model of agents that name the provider alone. */
    model: variable('OPENAI_MODEL', z.string().min(1).default('gpt-4o-mini')),
  }),
  /** A file of more providers; it goes before OPENAI_*. */
  providersFile: variable('PARLEY_PROVIDERS_FILE', z.string().optional()),
};

/** How runs are acted: also what standalone is told. `graceMs` is the default. */
export const executorVariables = (graceMs: number) =>
  z.object({
    /** Runs acted at once. */
    slots: variable('PARLEY_EXECUTOR_SLOTS', z.coerce.number().int().min(1).max(10_000).default(512)),
    /** How long running runs may take to end by themselves when Parley is told to stop, in milliseconds. */
    graceMs: variable('PARLEY_SHUTDOWN_GRACE_MS', z.coerce.number().int().min(0).max(10_000).default(graceMs)),
  });

/** What a run executor with a process of its own reads from the environment. */
export const RunExecutorConfig = z.object({
  ...serverVariables,
  ...modelVariables,
  executor: executorVariables(10_000),
  health: healthVariables,
  ...appVariables,
});

/** The environment, and what stands in the files that it names. */
export type Configuration = z.infer<typeof RunExecutorConfig> & { providers: ProviderFile };

/** Reads the environment and the files that it names; ends the process with all of their mistakes if there are any. */
export const configFromEnvironment = (): Configuration => {
  const config = loadConfig(RunExecutorConfig, process.env);
  return { ...config, providers: providersIn(config.providersFile, process.env) };
};

/** The providers of that file, none without one; ends the process with all mistakes of the file if there are any. */
export const providersIn = (path: string | undefined, env: Environment): ProviderFile => {
  if (path === undefined) return { providers: {} };
  try {
    return readProviderFile(readFileSync(path, 'utf8'), env);
  } catch (error) {
    const mistakes = error instanceof ProviderFileError ? error.message.split('\n') : [String(error)];
    return refuseToStart(new ConfigError(mistakes.map((mistake) => `PARLEY_PROVIDERS_FILE: ${path}: ${mistake}`)));
  }
};
