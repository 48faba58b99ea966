import { runApp, type HostProcess } from '@parley/host';
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
  await runApp(
    {
      ...{ name: 'standalone', config, process, log: destination(2) },
      onFailure: (error) => say(`Parley cannot start: ${error instanceof Error ? error.message : String(error)}`),
    },
    (_, surroundings) => startStandalone(config, { ...surroundings, say }),
  );
};
