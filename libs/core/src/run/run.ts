import { z } from 'zod';
import { AgentId, RunId, SessionId } from '../ids.js';
import { InputPart } from '../log/part/part.js';
import { Budget } from './budget.js';
import { RunState, WaitingFor } from './state.js';

/** What to do with a new run while another one of its session is queued or running. */
export const WhenBusy = z.enum(['reject', 'defer', 'steer', 'interrupt', 'rollback']);
export type WhenBusy = z.infer<typeof WhenBusy>;

/** What to do with a new run while another one of its session waits for a person or a client. */
export const WhenWaiting = z.enum(['reject', 'defer', 'supersede']);
export type WhenWaiting = z.infer<typeof WhenWaiting>;

/**
 * What becomes of a run when the client that waits for its answer goes away before it has it. Known only to the gateway
 * that the client is connected to: one that is killed, drains or breaks off by itself is no client that goes away.
 */
export const OnDisconnect = z.enum(['continue', 'cancel']);
export type OnDisconnect = z.infer<typeof OnDisconnect>;

/** One turn of an agent in a session, from its input to its terminal state. */
export const Run = z.object({
  id: RunId,
  session: SessionId,
  agent: AgentId,
  /** The immutable agent version that the run acts by. */
  version: z.number().int().positive(),
  state: RunState,
  waitingFor: WaitingFor.nullable(),
  /** Why it ended, where the state alone does not say, e.g. `rounds_exceeded`, `model_failed`, `rolled_back`. */
  reason: z.string().nullable(),
  /** Rises with every claim, reclaim and takeover, and so fences stale holders (DESIGN §7.5). */
  epoch: z.number().int().nonnegative(),
  parts: z.array(InputPart),
  budget: Budget,
  /** Sequence number of its `input` event; null while deferred. */
  firstSeq: z.number().int().positive().nullable(),
  /** Sequence number of its `run_ended` event; null before, and for a run that ended without having had the turn. */
  lastSeq: z.number().int().positive().nullable(),
  createdAt: z.coerce.date(),
  startedAt: z.coerce.date().nullable(),
  endedAt: z.coerce.date().nullable(),
});
export type Run = z.infer<typeof Run>;
