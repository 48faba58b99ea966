import 'reflect-metadata';
import { runApp } from '@parley/host';
import { configFromEnvironment } from './config.js';
import { startRunExecutor } from './start-run-executor.js';

await runApp({ name: 'run-executor', config: configFromEnvironment(), process }, startRunExecutor);
