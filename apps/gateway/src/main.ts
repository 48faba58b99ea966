import 'reflect-metadata';
import { runApp } from '@parley/host';
import { configFromEnvironment } from './config.js';
import { startGateway } from './start-gateway.js';

await runApp({ name: 'gateway', config: configFromEnvironment(), process }, startGateway);
