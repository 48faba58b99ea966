import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Program } from './program.js';
import { type Rig } from './rig.js';

/** Parley as a newcomer gets it: standalone, or all services with their servers. */
export interface Stack {
  /** Standalone itself, or the launcher of the services. */
  program: Program;
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

/** Starts it in the rig's form on an empty folder, with the model at `model` as its provider `openai`. */
export const startStack = async (rig: Rig, model: string, flags: string[] = []): Promise<Stack> => {
  const dataDirectory = rig.freshFolder('data');
  const environment = { PORT: '0', PARLEY_DATA_DIR: dataDirectory, OPENAI_BASE_URL: `${model}/v1` };
  const program = rig.start({ script: scriptOf(rig.form), name: rig.form, environment, flags });
  const [, origin = ''] = await program.says(/Parley listens on (\S+)/);
  return { program, origin, headers: { 'x-api-key': await KEYS[rig.form](dataDirectory) }, dataDirectory };
};

/** Where each form keeps the key that it made. */
const KEYS = {
  standalone: async (folder: string): Promise<string> => (await readFile(join(folder, 'key'), 'utf8')).trim(),
  cluster: async (folder: string): Promise<string> => {
    const secrets = JSON.parse(await readFile(join(folder, 'cluster', 'secrets.json'), 'utf8')) as { key: string };
    return secrets.key;
  },
};
