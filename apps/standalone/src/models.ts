import { ModelClient, Providers, type ProviderTable } from '@parley/effects';
import { startSimulator } from '@parley/model-simulator';
import { Outbound } from '@parley/outbound';
import { configuredProviders, isolatedProgram, type IsolatedProgram } from '@parley/run-executor';
import { type Configuration } from './config.js';

/** The models of a standalone Parley. */
export interface Models {
  client: ModelClient;
  /** What acts a run in a process of its own, with the same models. */
  isolated: IsolatedProgram;
  /** What agent `hello` talks to: the configured provider, else the simulator. */
  helloHandle: string;
  /** Every model that a start may give to `hello`; with another one it is the user's own. */
  helloHandles: readonly string[];
  /** True when that is the simulator. */
  simulated: boolean;
  stop(): Promise<void>;
}

/** 60 tokens, 20 ms apart: slow enough to see that it streams. */
const SIMULATED = 'sim-60-20';
const HELLO_SIMULATED = `simulator/${SIMULATED}`;

/** Starts the simulator in this process and makes the client of all providers. */
export const startModels = async (
  config: Configuration,
  warn: (message: string, details: object) => void,
): Promise<Models> => {
  const simulator = await startSimulator({
    host: '127.0.0.1',
    port: 0,
    log: (message, details) => warn(`simulator: ${message}`, details),
  });
  const providers: ProviderTable['providers'] = {
    simulator: { baseUrl: simulator.url, defaultModel: SIMULATED },
    ...configuredProviders(config),
  };
  const chosen = config.providers.default ?? (providers['openai'] ? 'openai' : 'simulator');
  const helloHandle = helloOf(chosen, providers);
  const outbound = new Outbound();
  const table = { default: chosen, providers };
  return {
    client: new ModelClient(outbound, new Providers(table)),
    isolated: isolatedProgram(table),
    helloHandle,
    helloHandles: [...Object.keys(providers), 'openai', HELLO_SIMULATED],
    simulated: helloHandle === HELLO_SIMULATED,
    stop: () => simulator.stop(),
  };
};

/** The default provider where it has a default model, else the simulator: `hello` works as soon as Parley does. */
const helloOf = (name: string, providers: ProviderTable['providers']): string =>
  name !== 'simulator' && providers[name]?.defaultModel ? name : HELLO_SIMULATED;
