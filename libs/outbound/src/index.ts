export * from './outbound.js';
export * from './outbound-error.js';
export * from './outbound-request.js';
