import { type DestinationStream, type Logger } from 'pino';
import { type CrashAt } from './crash/crash-at.js';
import { armCrashPoint } from './crash/crash-point.js';
import { Health } from './health.js';
import { createLogger, type LogLevel } from './logging/create-logger.js';
import { NestLogger } from './logging/nest-logger.js';
import { type HostProcess, Shutdown } from './shutdown.js';

/** What an app is told by its environment, whatever it does. */
export interface AppConfig {
  logLevel: LogLevel;
  crashAt?: CrashAt | undefined;
}

/** What an app starts with. */
export interface AppSurroundings {
  logger: Logger;
  /** The same, for Nest: what Nest wires at a start is for people who work on Parley, so it is shown from `debug` on. */
  nestLogger: NestLogger;
  /** To be told of every store and wire that the app needs. */
  health: Health;
  /** To be told of everything that is opened. */
  shutdown: Shutdown;
}

/** One app of Parley as a process. */
export interface App<Config extends AppConfig> {
  name: string;
  config: Config;
  process: HostProcess;
  /** Where the log goes; standard output when absent. */
  log?: DestinationStream;
  /** Told why it cannot start, beside the log. */
  onFailure?: (error: unknown) => void;
}

/**
 * Runs an app until SIGINT or SIGTERM: `start` opens what it needs and registers it with `shutdown`. Where it cannot
 * start, what is open is closed, the log says why, and the process ends with code 1.
 */
export const runApp = async <Config extends AppConfig>(
  { name, config, process, log, onFailure }: App<Config>,
  start: (config: Config, surroundings: AppSurroundings) => Promise<void>,
): Promise<void> => {
  const logger = createLogger({ app: name, level: config.logLevel, ...(log && { to: log }) });
  const shutdown = new Shutdown(logger, process);
  armCrashPoint(config.crashAt);
  const nestLogger = new NestLogger(logger.child({}, { level: logger.level === 'info' ? 'warn' : logger.level }));
  const starting = start(config, { logger, nestLogger, health: new Health(logger), shutdown });
  shutdown.add('start', () => Promise.allSettled([starting]));
  try {
    await starting;
  } catch (error) {
    if (shutdown.signal.aborted) return;
    logger.fatal({ err: error }, `${name} cannot start`);
    onFailure?.(error);
    await shutdown.end(1);
  }
};
