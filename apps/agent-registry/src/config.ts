import { appVariables, healthVariables, loadConfig, serverVariables } from '@parley/host';
import { z } from 'zod';

const { database, nats } = serverVariables;

/** What an agent registry with a process of its own reads from the environment. */
export const AgentRegistryConfig = z.object({ database, nats, health: healthVariables, ...appVariables });
export type AgentRegistryConfig = z.infer<typeof AgentRegistryConfig>;

/** Reads the environment; ends the process with all of its mistakes if there are any. */
export const configFromEnvironment = (): AgentRegistryConfig => loadConfig(AgentRegistryConfig, process.env);
