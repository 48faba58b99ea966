import { resolve } from 'node:path';
import { type ProviderFile } from '@parley/effects';
import { GatewayConfig } from '@parley/gateway';
import { appVariables, loadConfig, variable } from '@parley/host';
import { executorVariables, modelVariables, providersIn } from '@parley/run-executor';
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
  ...modelVariables,
  executor: executorVariables(2_000),
  ...appVariables,
});
export type Config = z.infer<typeof Config>;

/** The environment, and what stands in the files that it names. */
export interface Configuration extends Config {
  providers: ProviderFile;
}

/** Reads the environment and the files that it names; ends the process with all of their mistakes if there are any. */
export const configFromEnvironment = (): Configuration => {
  const config = loadConfig(Config, process.env);
  return { ...config, providers: providersIn(config.providersFile, process.env) };
};
