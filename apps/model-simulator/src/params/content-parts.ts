import { z } from 'zod';

/**
 * The content parts of a message, as `openai` 6.49.0 types them (`ChatCompletionContentPart*`). Objects are strict:
 * a key that OpenAI does not know is refused, so that a client's mistake shows here and not at the real provider.
 */

const CacheBreakpoint = z.strictObject({ mode: z.literal('explicit') });

/** Where an image is: a web address, or the bytes themselves as a data URL of a type that OpenAI reads. */
const imageUrl = /^(https?:\/\/\S+|data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2})$/;

export const TextPart = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  prompt_cache_breakpoint: CacheBreakpoint.exactOptional(),
});

export const RefusalPart = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });

const ImagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z.string().regex(imageUrl),
    detail: z.enum(['auto', 'low', 'high']).exactOptional(),
  }),
  prompt_cache_breakpoint: CacheBreakpoint.exactOptional(),
});

const AudioPart = z.strictObject({
  type: z.literal('input_audio'),
  input_audio: z.strictObject({ data: z.string(), format: z.enum(['wav', 'mp3']) }),
  prompt_cache_breakpoint: CacheBreakpoint.exactOptional(),
});

const FilePart = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({
    file_data: z.string().exactOptional(),
    file_id: z.string().exactOptional(),
    filename: z.string().exactOptional(),
  }),
  prompt_cache_breakpoint: CacheBreakpoint.exactOptional(),
});

/** What a user message may hold. */
export const ContentPart = z.discriminatedUnion('type', [TextPart, ImagePart, AudioPart, FilePart]);
export type ContentPart = z.infer<typeof ContentPart>;
