export * from './frames.js';
export * from './define.js';
export * from './agent.js';
export * from './session.js';
export * from './run.js';
export * from './provider.js';
