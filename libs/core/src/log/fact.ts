import { z } from 'zod';
import { CallId, FactId, InterruptId, RunId } from '../ids.js';
import { AnswerOutcome, CallOutcome } from './event.js';
import { InputPart, TextPart } from './part/part.js';

/**
 * What anybody but the holder of a run may tell it. Posted into the session's inbox, idempotent by its id, and taken
 * out only by the append that writes what it led to (DESIGN §7.3).
 */
export const FactBody = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('answer'),
    interrupt: InterruptId,
    outcome: AnswerOutcome.extract(['approved', 'denied', 'answered']),
    parts: z.array(TextPart),
  }),
  /** Words for a run that is under way: heard before its next model call. */
  z.object({ kind: z.literal('steer'), parts: z.array(InputPart).min(1) }),
  z.object({
    kind: z.literal('child_finished'),
    call: CallId,
    outcome: CallOutcome.extract(['result', 'error', 'cancelled']),
    parts: z.array(TextPart),
  }),
  /** End now. `rewind`: as if the run had never been (`cancelled(rolled_back)`). */
  z.object({ kind: z.literal('cancel'), reason: z.string().nullable(), rewind: z.boolean() }),
  /** Parts were hidden, shown or erased: what the holder keeps in memory is out of date. */
  z.object({ kind: z.literal('patch') }),
]);
export type FactBody = z.infer<typeof FactBody>;

/** A fact in an inbox. */
export const Fact = z.object({ id: FactId, run: RunId, body: FactBody });
export type Fact = z.infer<typeof Fact>;
