import { z } from 'zod';
import { CrashAt } from '../crash/crash-at.js';
import { LOG_LEVELS } from '../logging/create-logger.js';
import { Secret } from './secret.js';
import { variable } from './variable.js';

/** The address of a server, with the credentials of this app in it. */
const serverUrl = (protocols: readonly string[]): z.ZodType<Secret, string> =>
  z.string().transform((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const mistake = mistakeOf(url, protocols);
    if (mistake !== undefined) context.addIssue({ code: 'custom', message: mistake });
    return new Secret(text);
  });

const mistakeOf = (url: URL | undefined, protocols: readonly string[]): string | undefined => {
  if (!url || !protocols.includes(url.protocol.slice(0, -1))) {
    return `must be ${protocols[0]}://<user>:<password>@<host>:<port>`;
  }
  return url.username && url.password ? undefined : 'must carry the user and the password of this app';
};

/** What every app is told. */
export const appVariables = {
  logLevel: variable('LOG_LEVEL', z.enum(LOG_LEVELS).default('info')),
  /** For tests: where the process is to kill itself. */
  crashAt: variable('CRASH_AT', CrashAt.optional()),
};

/** The wires and stores of an app that has its own process; outside standalone they always ask for credentials. */
export const serverVariables = {
  database: variable('DATABASE_URL', serverUrl(['postgres', 'postgresql'])),
  nats: variable('NATS_URL', serverUrl(['nats', 'tls'])),
  redis: variable('REDIS_URL', serverUrl(['redis', 'rediss'])),
};

/** Where an app without a door of its own says how it is. */
export const healthVariables = z.object({
  host: variable('HEALTH_HOST', z.string().default('127.0.0.1')),
  port: variable('HEALTH_PORT', z.coerce.number().int().min(0).max(65_535).default(8_284)),
});
