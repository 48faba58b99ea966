export { AgentRegistryModule, type AgentRegistryPorts } from './agent-registry.module.js';
