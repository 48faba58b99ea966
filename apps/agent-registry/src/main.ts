import 'reflect-metadata';
import { runApp } from '@parley/host';
import { configFromEnvironment } from './config.js';
import { startAgentRegistry } from './start-agent-registry.js';

await runApp({ name: 'agent-registry', config: configFromEnvironment(), process }, startAgentRegistry);
