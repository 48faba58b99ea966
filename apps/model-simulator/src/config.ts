import { issuesOf, issuesText } from '@parley/core';
import { z } from 'zod';

/** The variables that the program reads. */
export const Environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8290),
  /** A JSON file with a script; without one every answer is the persona's. */
  SIMULATOR_SCRIPT_FILE: z.string().min(1).optional(),
  /** The one key that requests must carry; unset: any or none. */
  SIMULATOR_API_KEY: z.string().min(1).optional(),
  SIMULATOR_BODY_LIMIT_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(64 * 1024 * 1024),
});

export interface Config {
  host: string;
  port: number;
  scriptFile: string | undefined;
  apiKey: string | undefined;
  bodyLimitBytes: number;
}

/** Reads the environment. Throws an Error that names every variable that is wrong. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const parsed = Environment.safeParse(variables);
  if (!parsed.success) throw new Error(`wrong configuration: ${issuesText(issuesOf(parsed.error))}`);
  return {
    host: parsed.data.HOST,
    port: parsed.data.PORT,
    scriptFile: parsed.data.SIMULATOR_SCRIPT_FILE,
    apiKey: parsed.data.SIMULATOR_API_KEY,
    bodyLimitBytes: parsed.data.SIMULATOR_BODY_LIMIT_BYTES,
  };
}
