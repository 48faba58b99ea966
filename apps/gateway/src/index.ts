export { DEFAULT_TENANT, GatewayConfig } from './config.js';
export { GatewayModule, type GatewayPorts } from './gateway.module.js';
export { makeGateway, type GatewaySettings } from './gateway.js';
export { hashKey, KeyRing, ListedKeys, type HashedKey } from './http/door/key-ring.js';
export { type Admittance } from './http/door/door.js';
export { openGateway, type OpenGateway } from './open-gateway.js';
