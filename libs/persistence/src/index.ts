export * from './run-log/run-log.js';
