export { type RecordedRequest, type RequestOutcome } from './http/request-log.js';
export { type SimulatorLog } from './http/request-handler.js';
export { type Rule, type Script } from './script/script.js';
export { type Step } from './script/step.js';
export { type Simulator, type SimulatorOptions, startSimulator } from './start-simulator.js';
