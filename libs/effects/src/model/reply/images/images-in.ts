import { imageFault, ImageMediaType, type ImageSource, truncated, wellFormed } from '@parley/core';
import { loose, text, type Loose } from '../chat-chunk.js';

const TYPES = new Set(['image', 'image_url', 'output_image', 'input_image']);

/** `data:image/png;base64,…`, with parameters or without. */
const DATA_URL = /^data:([^;,]*)(?:;[^;,]+)*?;base64,/i;

/** True for a part of content that is an image. */
export const isImage = (part: Loose): boolean => TYPES.has(text(part.type));

/**
 * The images that a delta brings: as parts of its content, or in `images`, as OpenRouter sends them. An image that
 * cannot be kept is told as such: the rest of a paid answer is worth having.
 */
export const imagesIn = ({ content, images }: Loose): ImageSource[] => [
  ...partsOf(content).filter(isImage).map(sourceOf),
  ...partsOf(images).map(sourceOf),
];

const partsOf = (value: unknown): Loose[] =>
  Array.isArray(value) ? value.map(loose).filter((one) => one !== undefined) : [];

/** As chat completions say it, as Responses do, and as Messages do. */
const sourceOf = (part: Loose): ImageSource => {
  const source = loose(part.source);
  if (text(source?.data) !== '') return inline(text(source?.media_type), text(source?.data));
  const address = text(loose(part.image_url)?.url) || text(part.image_url) || text(source?.url) || text(part.url);
  if (address !== '') return atAddress(address);
  const bytes = text(part.b64_json) || text(part.image_base64) || text(part.result);
  return inline(text(part.media_type) || text(part.mime_type) || 'image/png', bytes);
};

const atAddress = (address: string): ImageSource => {
  const [head, mediaType = ''] = DATA_URL.exec(address) ?? [];
  return head === undefined ? kept({ kind: 'url', url: address }) : inline(mediaType, address.slice(head.length));
};

const inline = (told: string, data: string): ImageSource => {
  const type = told.toLowerCase();
  const mediaType = ImageMediaType.safeParse(type === 'image/jpg' ? 'image/jpeg' : type);
  if (!mediaType.success) return notKept(`it is of the type '${truncated(wellFormed(told), 100)}'`);
  return kept({ kind: 'base64', mediaType: mediaType.data, data });
};

const kept = (source: ImageSource): ImageSource => {
  const fault = imageFault(source);
  return fault ? notKept(`its ${fault.field} ${fault.reason}`) : source;
};

const notKept = (reason: string): ImageSource => ({ kind: 'not_kept', reason });
