export { SessionModule, type SessionPorts } from './session.module.js';
export { DirectHandOver, NoHandOver, type ReservedSlot } from './runs/direct-hand-over.js';
