import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Program } from './program.js';
import { type Rig } from './rig.js';

/** Standalone as a newcomer gets it, and the model that it calls. */
export interface Stack {
  standalone: Program;
  /** `http://host:port` of the gateway. */
  origin: string;
  /** Of every request. */
  headers: { 'x-api-key': string };
  dataDirectory: string;
}

const scriptOf = (app: string): string => fileURLToPath(new URL(`../../../apps/${app}/dist/main.js`, import.meta.url));

/** Starts the simulator as a process of its own, on a free port. */
export const startSimulator = async (rig: Rig): Promise<{ simulator: Program; origin: string }> => {
  const simulator = rig.start({ script: scriptOf('model-simulator'), name: 'simulator', environment: { PORT: '0' } });
  const [, origin = ''] = await simulator.says(/"url":"(http:[^"]+)\/v1"/);
  return { simulator, origin };
};

/** Starts standalone on an empty folder, with the model at `model` as its provider `openai`. */
export const startStandalone = async (rig: Rig, model: string, flags: string[] = []): Promise<Stack> => {
  const dataDirectory = rig.freshFolder('data');
  const environment = { PORT: '0', PARLEY_DATA_DIR: dataDirectory, OPENAI_BASE_URL: `${model}/v1` };
  const standalone = rig.start({ script: scriptOf('standalone'), name: 'standalone', environment, flags });
  const [, origin = ''] = await standalone.says(/Parley listens on (\S+)/);
  const key = (await readFile(join(dataDirectory, 'key'), 'utf8')).trim();
  return { standalone, origin, headers: { 'x-api-key': key }, dataDirectory };
};
