import { z } from 'zod';
import { BlobRef } from './blob-ref.js';
import { Origin } from './origin.js';

/** The types of images that providers read. */
export const ImageMediaType = z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
export type ImageMediaType = z.infer<typeof ImageMediaType>;

const AtUrl = z.object({ kind: z.literal('url'), url: z.string() });
const Inline = z.object({ kind: z.literal('base64'), mediaType: ImageMediaType, data: z.string() });
/** With it, the bytes of an image stand there, in base64, and `data` is empty. */
const blob = BlobRef.optional();
const NotKept = z.object({ kind: z.literal('not_kept'), reason: z.string() });

/** An image: by an address that only the provider opens, or its bytes. `source` is `null` where it was erased. */
export const ImagePart = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('kind', [AtUrl, Inline]).nullable(),
  blob,
  origin: Origin,
});
export type ImagePart = z.infer<typeof ImagePart>;

/** An image that a model made. `not_kept`: it did, and says why the log has not got it. */
export const ReplyImagePart = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('kind', [AtUrl, Inline, NotKept]).nullable(),
  blob,
  origin: z.literal('model'),
});
export type ReplyImagePart = z.infer<typeof ReplyImagePart>;

/** Where the bytes of an image are. */
export type ImageSource = NonNullable<ReplyImagePart['source']>;

/** Base64 characters that the images of one message may have together: 384 KiB of bytes. */
export const MAX_IMAGE_DATA = 524_288;
/** Characters that the address of an image may have. */
export const MAX_IMAGE_URL = 8_192;

/** What is wrong with an image. */
export interface ImageFault {
  field: 'url' | 'data';
  reason: string;
  /** What whoever gives the image may do about it. */
  remedy?: string;
}

/** What is wrong with an image; undefined: nothing. The log is read without asking this. */
export const imageFault = (source: ImageSource): ImageFault | undefined => {
  if (source.kind === 'url') return urlFault(source.url);
  return source.kind === 'base64' ? (dataFault(source.data) ?? sizeFault(source.data.length)) : undefined;
};

const urlFault = (url: string): ImageFault | undefined => {
  if (url.length > MAX_IMAGE_URL) {
    return { field: 'url', reason: `has ${url.length} characters, and may have ${MAX_IMAGE_URL}` };
  }
  const isAddress = /^https?:\/\/\S+$/i.test(url) && URL.canParse(url);
  return isAddress ? undefined : { field: 'url', reason: 'must be an address of http or https' };
};

const dataFault = (data: string): ImageFault | undefined => {
  if (data === '') return { field: 'data', reason: 'is empty', remedy: 'give the bytes of the image in base64' };
  if (data.length > MAX_IMAGE_DATA || (data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data))) return undefined;
  return { field: 'data', reason: 'is not base64 (A-Z, a-z, 0-9, + and /, padded with =)' };
};

const sizeFault = (size: number): ImageFault | undefined =>
  size <= MAX_IMAGE_DATA
    ? undefined
    : {
        field: 'data',
        reason: `has ${size} characters, and may have ${MAX_IMAGE_DATA}`,
        remedy: 'give a smaller image, or its address',
      };

/** Holds the images among parts that somebody gives to what is taken: each on its own, and their size together. */
export const checkImages = (
  parts: readonly { type: string }[],
  context: z.RefinementCtx,
  at: readonly string[] = [],
): void => {
  let total = 0;
  parts.forEach((part, index) => {
    if (!isImage(part) || part.source === null) return;
    const { source, blob } = part;
    const size = blob?.size ?? (source.kind === 'base64' ? source.data.length : 0);
    total += size;
    const tooMany = `makes the images of this message ${total} characters, and they may have ${MAX_IMAGE_DATA} together`;
    const fault =
      (blob ? sizeFault(size) : imageFault(source)) ??
      (size > 0 && total > MAX_IMAGE_DATA ? { field: 'data', reason: tooMany, remedy: undefined } : undefined);
    if (!fault) return;
    const message = fault.remedy === undefined ? fault.reason : `${fault.reason}: ${fault.remedy}`;
    context.addIssue({ code: 'custom', path: [...at, index, 'source', fault.field], message });
  });
};

const isImage = (part: { type: string }): part is ImagePart => part.type === 'image';
