export { executorVariables, modelVariables, providersIn } from './config.js';
export { configuredProviders, type ModelSettings } from './configured-providers.js';
export { Executor, type ReservedSlot } from './executor/executor.js';
export { ExecutorOptions } from './executor/executor-options.js';
export { isolatedProgram, type IsolatedProgram } from './isolation/isolated-program.js';
export { RunExecutorModule, type RunExecutorPorts } from './run-executor.module.js';
