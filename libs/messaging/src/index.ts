export * from './bus.js';
export * from './frames.js';
export * from './permits.js';
