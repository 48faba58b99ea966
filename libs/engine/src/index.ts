export { decide } from './react/decide.js';
export { nextAttemptAt } from './react/next-attempt.js';
export { providerReadyAt } from './react/provider-ready-at.js';
export * from './react/react-action.js';
export * from './react/react-state.js';
export { Transcript } from './react/transcript.js';
