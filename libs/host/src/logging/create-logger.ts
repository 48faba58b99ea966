import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { redacted, redactedText } from './redacted.js';

/** The levels that an operator may choose from, the most talkative first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** One of `LOG_LEVELS`. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a logger needs to know of its app. `to` is standard output unless a test listens. */
export interface LoggerSettings {
  app: string;
  level: LogLevel;
  to?: DestinationStream;
}

/**
 * The logger of a process: one JSON object a line, time as ISO 8601, levels by word, secrets masked. What an entry is
 * about stands under `tenant`, `session`, `run` and `request`, the same in every app, so that one search finds it all.
 */
export const createLogger = ({ app, level, to }: LoggerSettings): Logger => {
  const options = {
    level,
    base: { app, pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: object) => redacted(fields) as Record<string, unknown>,
    },
    hooks: { logMethod: maskMessage },
    serializers: { err: (error: unknown) => error }, // `redacted` has turned it into plain fields already
  };
  return to ? pino(options, to) : pino(options);
};

function maskMessage(this: Logger, args: Parameters<Logger['info']>, method: Logger['info']): void {
  const masked = (args as unknown[]).map((arg) => (typeof arg === 'string' ? redactedText(arg) : arg));
  method.apply(this, masked as Parameters<Logger['info']>);
}
