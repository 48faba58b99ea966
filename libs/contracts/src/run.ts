import {
  AgentId,
  Budget,
  checkImages,
  DeadLetter,
  EventBody,
  FactBody,
  FactId,
  InputPart,
  Live,
  pageOf,
  Run,
  RunId,
  RunState,
  SessionId,
  TenantId,
  WhenBusy,
  WhenWaiting,
} from '@parley/core';
import { z } from 'zod';
import { event, rpc } from './define.js';

const tenant = TenantId;
const seq = z.number().int().nonnegative();

/** An event of a session's log as it crosses processes. */
export const EventView = z.object({
  seq,
  run: RunId.nullable(),
  at: z.coerce.date(),
  body: EventBody,
  live: Live.nullable(),
  hidden: z.array(z.number().int()),
});

/** What became of an admission. */
const admission = z.object({
  outcome: z.enum(['queued', 'deferred', 'steered']),
  run: RunId,
  /** Last event of the log as this admission left it; what follows is news. `queued`: that of the run's input. */
  seq,
  /** When the run's input was committed; only where it has the turn. */
  at: z.coerce.date().optional(),
});

/**
 * Admits a run to a session; 2xx means committed. Asking twice with one `id` gives the first answer. The outcome says
 * what became of it: it has the turn (`queued`), stands in line (`deferred`), or its words went to the run that is
 * under way (`steered`: `run` is that run, and the steer is a fact with this `id`). `illegal_state`: policy `reject` met
 * a busy or waiting session, or agent or session are disabled. `too_large`: the parts weigh more than a page of the log
 * may, 512 KiB of JSON, though their words stand in blobs.
 */
export const admitRun = rpc({
  subject: 'rpc.run.admit',
  request: z.object({
    tenant,
    id: RunId,
    session: SessionId,
    /** The agent that the session is bound to; binds it where it is not yet. */
    agent: AgentId,
    parts: z
      .array(InputPart)
      .min(1)
      .superRefine((parts, context) => checkImages(parts, context)),
    budget: Budget.partial().optional(),
    whenBusy: WhenBusy,
    whenWaiting: WhenWaiting,
  }),
  response: admission,
  errors: ['not_found', 'illegal_state', 'conflict', 'unavailable', 'too_large'],
  timeoutMs: 5_000,
});

const TakenFact = FactBody.superRefine((body, context) => {
  if (body.kind === 'steer') checkImages(body.parts, context, ['parts']);
});

/**
 * Tells a run something. Asking twice with one fact id has one effect. `outcome` `void`: it came after the run's end.
 * `too_large`: of its parts, as in `admitRun`.
 */
export const postFact = rpc({
  subject: 'rpc.run.post',
  request: z.object({ tenant, session: SessionId, run: RunId, fact: FactId, body: TakenFact }),
  response: z.object({ outcome: z.enum(['taken', 'posted', 'void']), state: RunState }),
  errors: ['not_found', 'too_large'],
  timeoutMs: 5_000,
});

/** Ends the run that has the session's turn; answers when it has ended, at most about 1 s later (DESIGN §7.6). */
export const cancelRun = rpc({
  subject: 'rpc.run.cancel',
  request: z.object({
    tenant,
    session: SessionId,
    run: RunId,
    fact: FactId,
    reason: z.string().nullable(),
    rewind: z.boolean(),
  }),
  response: Run,
  errors: ['not_found'],
  timeoutMs: 10_000,
});

/** A run as its row says, also after its end. */
export const getRun = rpc({
  subject: 'rpc.run.get',
  request: z.object({ tenant, id: RunId }),
  response: Run,
  errors: ['not_found'],
  timeoutMs: 5_000,
});

/**
 * Where runs stand, many in one question: for a gateway that streams them and hears nothing (DESIGN §6). What does not
 * exist is left out of the answer. `seq`: the last event of the run's session.
 */
export const getRunStates = rpc({
  subject: 'rpc.run.states',
  request: z.object({
    runs: z
      .array(z.object({ tenant, run: RunId }))
      .min(1)
      .max(1000),
  }),
  response: z.object({
    runs: z.array(z.object({ tenant, run: RunId, state: RunState, reason: z.string().nullable(), seq })),
  }),
  errors: [],
  timeoutMs: 2_000,
});

/** Runs that ended because they killed whatever acted them (DESIGN §7.7), the newest end first, by (ended, id). */
export const listDeadLetters = rpc({
  subject: 'rpc.run.list-dead-letters',
  request: z.object({ tenant, limit: z.number().int().min(1).max(100), after: z.string().optional() }),
  response: pageOf(DeadLetter),
  errors: ['invalid_input'],
  timeoutMs: 5_000,
});

/**
 * Admits the input of a dead letter to its session again, as a run of its own with the agent as it is now; where the
 * session is busy it stands in line. Asking twice gives the first answer. `illegal_state`: the run is no dead letter, or
 * agent or session are disabled. `too_large`: as in `admitRun`.
 */
export const rerunDeadLetter = rpc({
  subject: 'rpc.run.rerun-dead-letter',
  request: z.object({ tenant, run: RunId }),
  response: admission,
  errors: ['not_found', 'illegal_state', 'conflict', 'unavailable', 'too_large'],
  timeoutMs: 5_000,
});

/** Who may write a run's log right now. */
const Holder = z.object({ executor: z.number().int(), epoch: z.number().int() });

/**
 * A page of a session's log, in order, from the event after `after`; closes at `limit` events or 512 KiB. `more`: the
 * log goes on behind it. `spans` says which of the log is in force; hidden parts are marked, not left out.
 */
export const readLog = rpc({
  subject: 'rpc.session.read-log',
  request: z.object({ tenant, session: SessionId, after: seq, limit: z.number().int().min(1).max(1000) }),
  response: z.object({
    events: z.array(EventView),
    more: z.boolean(),
    spans: z.array(z.tuple([z.number().int(), z.number().int().nullable()])),
    /** The run that has the turn; `holder`: the executor that holds it, and under which epoch. */
    active: z.object({ run: RunId, state: RunState, holder: Holder.optional() }).nullable(),
  }),
  errors: ['not_found'],
  timeoutMs: 5_000,
});

/** A frame as it crosses processes. */
export const FrameView = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('delta'),
    id: z.number(),
    run: RunId,
    part: z.number().int(),
    type: z.enum(['text', 'reasoning']),
    text: z.string(),
  }),
  z.object({ kind: z.literal('event'), id: z.number(), run: RunId.nullable(), event: EventView }),
]);

/**
 * The message that a run is making right now, from the memory of the executor that holds it: all live frames since the
 * last durable one. Empty when that one does not hold the run under this epoch; 250 ms without an answer mean the same.
 * Only frames after `after`; closes at 512 KiB, `more`: ask again from its last frame.
 */
export const tailRun = rpc({
  subject: 'rpc.run.tail',
  to: 'executor',
  request: Holder.extend({ tenant, run: RunId, after: z.number().optional() }),
  response: z.object({ frames: z.array(FrameView), more: z.boolean().optional() }),
  errors: [],
  timeoutMs: 250,
});

/** Tells an executor that a run it holds has an unread fact. At most once: its heartbeat says the same within a second. */
export const runNudged = event({
  subject: ({ executor }: { executor: number }) => `event.executor.${executor}.nudged`,
  pattern: 'event.executor.*.nudged',
  payload: z.object({ executor: z.number().int(), tenant, session: SessionId, run: RunId }),
});
