import { readFile } from 'node:fs/promises';
import { type Config } from './config.js';
import { parseScript } from './script/parse-script.js';
import { type Script } from './script/script.js';
import { startSimulator } from './start-simulator.js';

/** The program: serves until SIGINT or SIGTERM. What stops it from starting is one line on stdout, and exit code 1. */
export async function serve(readConfig: () => Config): Promise<void> {
  try {
    const { host, port, scriptFile, apiKey, bodyLimitBytes } = readConfig();
    const scripts = scriptFile === undefined ? undefined : await readScript(scriptFile);
    const simulator = await startSimulator({
      ...{ host, port, bodyLimitBytes, log },
      ...(scripts ? { scripts } : {}),
      ...(apiKey === undefined ? {} : { apiKey }),
    });
    log('listening', { url: simulator.url, script: scriptFile ?? null });
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void simulator.stop());
  } catch (error) {
    log('cannot start', { error: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
  }
}

async function readScript(file: string): Promise<Script> {
  const text = await readFile(file, 'utf8');
  try {
    return parseScript(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function log(message: string, details: Readonly<Record<string, unknown>>): void {
  process.stdout.write(
    `${JSON.stringify({ time: new Date().toISOString(), app: 'model-simulator', message, ...details })}\n`,
  );
}
