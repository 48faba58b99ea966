import { LOG_LEVELS, loadConfig, secret, variable } from '@parley/host';
import { z } from 'zod';

/** What the program is told by its environment. */
export const Config = z.object({
  host: variable('HOST', z.string().default('127.0.0.1')),
  port: variable('PORT', z.coerce.number().int().min(0).max(65_535).default(8290)),
  /** A JSON file with a script; without one every answer is the persona's. */
  scriptFile: variable('SIMULATOR_SCRIPT_FILE', z.string().optional()),
  /** The one key that requests must carry; absent: any or none. */
  apiKey: variable('SIMULATOR_API_KEY', secret().optional()),
  bodyLimitBytes: variable(
    'SIMULATOR_BODY_LIMIT_BYTES',
    z.coerce
      .number()
      .int()
      .min(1)
      .default(64 * 1024 * 1024),
  ),
  logLevel: variable('LOG_LEVEL', z.enum(LOG_LEVELS).default('info')),
});
export type Config = z.infer<typeof Config>;

/** Reads the environment; ends the process with all of its mistakes if there are any. */
export const configFromEnvironment = (): Config => loadConfig(Config, process.env);
