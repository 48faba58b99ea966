import { z } from 'zod';
import { CallId, InterruptId, RunId } from '../ids.js';
import { InterruptKind, Restored, Span } from './event.js';
import { Usage } from './usage.js';

const count = z.number().int().nonnegative();

/** How far a call of the open call group has come. */
export const CallStage = z.enum(['intended', 'dispatched', 'settled']);
export type CallStage = z.infer<typeof CallStage>;

/** A call of the reply that is being acted on; `seq` and `part` say where its name and arguments stand. */
export const OpenCall = z.object({ seq: count, part: count, stage: CallStage });
export type OpenCall = z.infer<typeof OpenCall>;

/** An interrupt that nobody has answered yet. */
export const OpenAsk = z.object({ ask: InterruptKind, call: CallId.nullable() });
export type OpenAsk = z.infer<typeof OpenAsk>;

/** What the log says of the run that has the turn. */
export const RunHead = z.object({
  id: RunId,
  /** Sequence number of its `input` event. */
  first: count,
  /** Answered model calls so far. */
  rounds: count,
  /** Failed attempts since the last answered one. */
  failures: count,
  /** When the model may be asked again after the last of them, in milliseconds since 1970; absent: not at all. */
  retryAt: count.optional(),
  /** Tokens in and out so far, those of failed attempts too. */
  tokens: count,
  /** What they cost so far, in millionths of a US dollar, each call rounded up; absent: nothing that is known. */
  costMicroUsd: count.optional(),
  /** What a rollback of this run puts back. */
  base: Restored,
});
export type RunHead = z.infer<typeof RunHead>;

/**
 * The folded state of a session's log: references, no text, so its size depends on open work, not on history. Kept on
 * the session's row and written by the call that appends; `fold(log)` gives the same (DESIGN §1).
 */
export const Head = z.object({
  /** Last event of the log. */
  seq: count,
  /** The history in force, oldest first. */
  spans: z.array(Span),
  run: RunHead.nullable(),
  /** Calls of the latest reply, until the next reply or the run's end. */
  calls: z.record(CallId, OpenCall),
  asks: z.record(InterruptId, OpenAsk),
  /** Of the latest answered model call: how full the context is. */
  usage: Usage.nullable(),
});
export type Head = z.infer<typeof Head>;

/** The head of an empty log. */
export const EMPTY_HEAD: Head = { seq: 0, spans: [[1, null]], run: null, calls: {}, asks: {}, usage: null };

/** True while a call of the group waits for its result: nothing may come between it and its result. */
export const hasOpenCall = (head: Head): boolean => Object.values(head.calls).some(({ stage }) => stage !== 'settled');

/** True while somebody has to answer something. */
export const hasOpenAsk = (head: Head): boolean => Object.keys(head.asks).length > 0;

/** True when the event with this number is in force, i.e. was not rewound. */
export const inForce = (spans: Span[], seq: number): boolean =>
  spans.some(([from, to]) => from <= seq && (to === null || seq <= to));
