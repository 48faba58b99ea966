import { z } from 'zod';

/** Whom or what a waiting run waits for. `person` and `client` answer interrupts; `timer` and `child` need nobody. */
export const WaitingFor = z.enum(['person', 'client', 'timer', 'child']);
export type WaitingFor = z.infer<typeof WaitingFor>;

/** A state that never changes again (DESIGN §7.6). */
export const TerminalState = z.enum(['succeeded', 'failed', 'timed_out', 'cancelled']);
export type TerminalState = z.infer<typeof TerminalState>;

/**
 * Run states. `deferred`: behind another run of its session. `queued`: has the turn, waits for an executor from its
 * `due_at` on. `running`: held by an executor. `waiting`: holds no slot and no worker.
 */
export const RunState = z.enum(['deferred', 'queued', 'running', 'waiting', ...TerminalState.options]);
export type RunState = z.infer<typeof RunState>;

/** True when the run has ended. */
export const isTerminal = (state: RunState): state is TerminalState =>
  TerminalState.options.some((terminal) => terminal === state);

/** States in which a run has its session's turn; at most one run of a session is in one of them. */
export const hasTurn = (state: RunState): boolean => state === 'queued' || state === 'running' || state === 'waiting';
