import { z } from 'zod';
import { CallId } from '../../ids.js';
import { BlobRef } from './blob-ref.js';
import { ImagePart, ReplyImagePart } from './image.js';
import { Origin } from './origin.js';

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
export const InputPart = z.discriminatedUnion('type', [TextPart, ImagePart]);
export type InputPart = z.infer<typeof InputPart>;

/** What a model may answer with. */
export const ReplyPart = z.discriminatedUnion('type', [ReasoningPart, TextPart, ReplyImagePart, CallPart]);
export type ReplyPart = z.infer<typeof ReplyPart>;

/** Any part of any event. */
export type Part = InputPart | ReplyPart;

/** What is said or thought in a part; `null` where it is something else, or was erased. */
export const textOf = (part: Part): string | null =>
  part.type === 'text' || part.type === 'reasoning' ? part.text : null;

/** What a part holds, in UTF-16 units: what it costs to keep. */
export const sizeOfPart = (part: Part): number => {
  if (part.type === 'call') return part.arguments?.length ?? 0;
  if (part.type !== 'image') return part.text?.length ?? 0;
  const { source } = part;
  if (source === null) return 0;
  if (source.kind === 'base64') return source.data.length;
  return source.kind === 'url' ? source.url.length : source.reason.length;
};

/** The part with its content gone for ever: it keeps its place. */
export const erased = <P extends Part>({ blob: _, ...part }: P): P => {
  const nothing =
    part.type === 'call' ? { arguments: null } : part.type === 'image' ? { source: null } : { text: null };
  return { ...part, ...nothing } as P;
};
