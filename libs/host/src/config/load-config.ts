import { type Issue, issuesOf } from '@parley/core';
import { type z } from 'zod';
import { Secret } from './secret.js';
import { type Variable, variablesOf } from './variable.js';

/** The environment as a process has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything that is wrong with the environment, one line for each variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly mistakes: readonly string[]) {
    super(['The configuration is not usable:', ...mistakes.map((mistake) => `  ${mistake}`)].join('\n'));
  }
}

/**
 * Reads an app's config from the environment: nested as its schema, frozen through and through. An empty variable is
 * an absent one.
 * @throws ConfigError with all mistakes at once.
 */
export const readConfig = <S extends z.ZodType>(schema: S, env: Environment): z.output<S> => {
  const variables = variablesOf(schema);
  const raw: Record<string, unknown> = {};
  for (const { name, path } of variables) put(raw, path, env[name] === '' ? undefined : env[name]);
  const parsed = schema.safeParse(raw);
  if (!parsed.success) throw new ConfigError(issuesOf(parsed.error).map((issue) => mistake(issue, variables)));
  return frozen(parsed.data);
};

/** Like `readConfig`; where the environment has mistakes it prints them all and ends the process with code 1. */
export const loadConfig = <S extends z.ZodType>(schema: S, env: Environment): z.output<S> => {
  try {
    return readConfig(schema, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return refuseToStart(error);
  }
};

/** Prints the mistakes and ends the process with code 1. */
export const refuseToStart = (error: ConfigError): never => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
};

const put = (into: Record<string, unknown>, [key, ...rest]: string[], value: unknown): void => {
  if (key === undefined) return;
  if (rest.length === 0) into[key] = value;
  else put((into[key] ??= {}) as Record<string, unknown>, rest, value);
};

const mistake = ({ path, message }: Issue, variables: Variable[]): string => {
  const found = variables.find((one) => one.path.join('.') === path);
  return `${found?.name ?? path}: ${message}`;
};

const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || value instanceof Secret) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
};
