export * from './health.js';
export * from './shutdown.js';
export * from './config/load-config.js';
export * from './config/secret.js';
export * from './config/variable.js';
export * from './logging/create-logger.js';
export * from './logging/nest-logger.js';
export * from './logging/redacted.js';
