import { appVariables, healthVariables, loadConfig, serverVariables } from '@parley/host';
import { z } from 'zod';

/** What a session service with a process of its own reads from the environment. */
export const SessionConfig = z.object({ ...serverVariables, health: healthVariables, ...appVariables });
export type SessionConfig = z.infer<typeof SessionConfig>;

/** Reads the environment; ends the process with all of its mistakes if there are any. */
export const configFromEnvironment = (): SessionConfig => loadConfig(SessionConfig, process.env);
