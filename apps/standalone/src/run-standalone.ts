import { armCrashPoint, createLogger, Shutdown, type HostProcess } from '@parley/host';
import { destination } from 'pino';
import { type Configuration } from './config.js';
import { startStandalone } from './start-standalone.js';

/** What standalone needs of its process beside signals: a place to greet. */
export interface StandaloneProcess extends HostProcess {
  stdout: { write(text: string): unknown };
}

/**
 * Parley in one process, until SIGINT or SIGTERM. What people read goes to standard output, the log (JSON lines) to
 * standard error. Where it cannot start it says why, closes what is open, and ends with code 1.
 */
export const runStandalone = async (config: Configuration, process: StandaloneProcess): Promise<void> => {
  const say = (line: string): unknown => process.stdout.write(`${line}\n`);
  const logger = createLogger({ app: 'standalone', level: config.logLevel, to: destination(2) });
  const shutdown = new Shutdown(logger, process);
  armCrashPoint(config.crashAt);
  const start = startStandalone(config, { say, logger, shutdown });
  shutdown.add('start', () => Promise.allSettled([start]));
  try {
    await start;
  } catch (error) {
    if (shutdown.signal.aborted) return;
    logger.fatal({ err: error }, 'Parley cannot start');
    say(`Parley cannot start: ${error instanceof Error ? error.message : String(error)}`);
    await shutdown.end(1);
  }
};
