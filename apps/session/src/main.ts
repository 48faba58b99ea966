import 'reflect-metadata';
import { runApp } from '@parley/host';
import { configFromEnvironment } from './config.js';
import { startSession } from './start-session.js';

await runApp({ name: 'session', config: configFromEnvironment(), process }, startSession);
