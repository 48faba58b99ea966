import { readFile } from 'node:fs/promises';
import { type HostProcess, Shutdown, createLogger } from '@parley/host';
import { type Config } from './config.js';
import { parseScript } from './script/parse-script.js';
import { type Script } from './script/script.js';
import { type Simulator, startSimulator } from './start-simulator.js';

/** The program: serves until SIGINT or SIGTERM. Rejects if the script is bad or the port is taken. */
export async function serve(config: Config, process: HostProcess): Promise<Simulator> {
  const { host, port, bodyLimitBytes, apiKey, scriptFile } = config;
  const logger = createLogger({ app: 'model-simulator', level: config.logLevel });
  const shutdown = new Shutdown(logger, process);
  const simulator = await startSimulator({
    ...{ host, port, bodyLimitBytes },
    scripts: scriptFile === undefined ? { rules: [] } : await readScript(scriptFile),
    log: (message, details) => logger.warn(details, message),
    ...(apiKey ? { apiKey: apiKey.reveal() } : {}),
  });
  shutdown.add('simulator', () => simulator.stop());
  logger.info({ url: simulator.url, script: scriptFile ?? null }, 'listening');
  return simulator;
}

async function readScript(file: string): Promise<Script> {
  const text = await readFile(file, 'utf8');
  try {
    return parseScript(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
