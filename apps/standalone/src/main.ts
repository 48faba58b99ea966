import 'reflect-metadata';
import { configFromEnvironment } from './config.js';
import { runStandalone } from './run-standalone.js';

await runStandalone(configFromEnvironment(), process);
