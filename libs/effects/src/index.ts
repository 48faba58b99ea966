export * from './model/model-client.js';
export * from './model/model-failure.js';
export * from './model/model-outcome.js';
export { type ModelLimits } from './model/exchange.js';
export * from './model/provider/provider.js';
export * from './model/provider/providers.js';
export * from './model/provider/provider-file.js';
export * from './model/provider/model-facts.js';
export * from './model/provider/quirks.js';
