import { z } from 'zod';
import { BlobId, CallId } from '../ids.js';

/** Where the text of a part came from; decides how far it is trusted. */
export const Origin = z.enum(['user', 'model', 'tool', 'web', 'memory']);
export type Origin = z.infer<typeof Origin>;

/** Where the words of a part stand when they are too large for a row or a message (DESIGN §6). */
export const BlobRef = z.object({
  id: BlobId,
  /** Bytes of the words in UTF-8. */
  size: z.number().int().nonnegative(),
});
export type BlobRef = z.infer<typeof BlobRef>;

/** With it, the part's own text is no more than the beginning of its words. */
const blob = BlobRef.optional();

/** Text. `null` where it was erased: the part keeps its place, its words are gone. */
const text = z.string().nullable();

/** Words. */
export const TextPart = z.object({ type: z.literal('text'), text, blob, origin: Origin });
export type TextPart = z.infer<typeof TextPart>;

/** What a model said while thinking; never sent back to a model that did not ask for it. */
export const ReasoningPart = z.object({ type: z.literal('reasoning'), text, blob, origin: z.literal('model') });
export type ReasoningPart = z.infer<typeof ReasoningPart>;

/** A tool call that a model asks for: its intent, committed together with the reply. */
export const CallPart = z.object({
  type: z.literal('call'),
  /** Ours, derived from (run, round, index); sent to the tool as `Idempotency-Key` (DESIGN §7.7). */
  id: CallId,
  name: z.string(),
  /** JSON text as the model wrote it; `null` where it was erased. */
  arguments: z.string().nullable(),
  blob,
  origin: z.literal('model'),
});
export type CallPart = z.infer<typeof CallPart>;

/** What a person or client may put into a session. */
export const InputPart = TextPart;
export type InputPart = z.infer<typeof InputPart>;

/** What a model may answer with. */
export const ReplyPart = z.discriminatedUnion('type', [ReasoningPart, TextPart, CallPart]);
export type ReplyPart = z.infer<typeof ReplyPart>;

/** Any part of any event. */
export type Part = InputPart | ReplyPart;
