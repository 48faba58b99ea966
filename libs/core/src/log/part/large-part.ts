import { MAX_PAGE_BYTES, refuseLarge } from '../../page.js';
import { truncated } from '../../text.js';
import { type EventBody, partsOf } from '../event.js';
import { type BlobRef } from './blob-ref.js';
import { erased, type InputPart, type Part, sizeOfPart } from './part.js';

/** Words of more bytes than this, counted in JSON, stand in a blob (DESIGN §6). */
export const MAX_INLINE_BYTES = 65_536;
/** What all words of one event may weigh that do not: an event has to fit into a message and a page. */
export const MAX_INLINE_TOTAL_BYTES = 262_144;

/** A UTF-16 unit takes at most so many bytes in JSON: `\u0001`. */
const MOST_BYTES_PER_UNIT = 6;
/** Fewer units than this need not be counted. */
const SURELY_SMALL = MAX_INLINE_BYTES / MOST_BYTES_PER_UNIT;
/** Bytes that a part of an input takes beside its words, at most. */
const MOST_BESIDE = 200;
/** Three bytes a unit at most: a preview of no more than 1 KiB. Words no longer than that gain nothing by a blob. */
const PREVIEW_UNITS = 340;

/** The words of a part, whatever they are called there: those of an image are its bytes in base64. */
export const wordsOf = (part: Part): string | null => {
  if (part.type === 'call') return part.arguments;
  if (part.type !== 'image') return part.text;
  return part.source?.kind === 'base64' ? part.source.data : null;
};

/**
 * The numbers of the parts whose words are to stand in blobs: those that are too large themselves, and the largest of
 * the others while all of them together are.
 */
export const largeParts = (parts: readonly Part[]): number[] => {
  if (unitsOf(parts) <= SURELY_SMALL) return [];
  const sizes = parts.map((part, index) => ({ index, bytes: part.blob ? 0 : bytesInJson(wordsOf(part) ?? '') }));
  sizes.sort((a, b) => b.bytes - a.bytes);
  let inline = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const large: number[] = [];
  for (const { index, bytes } of sizes) {
    const isLarge = bytes > MAX_INLINE_BYTES || (inline > MAX_INLINE_TOTAL_BYTES && bytes > PREVIEW_UNITS * 3);
    if (!isLarge) break;
    inline -= bytes;
    large.push(index);
  }
  return large.sort((a, b) => a - b);
};

/**
 * Lets parts through that can be carried once they are an event. Blobs do not help against very many small ones.
 * @throws PlatformError `too_large`, naming field and limit.
 */
export const refuseLargeParts = (parts: readonly InputPart[]): void => {
  const most = unitsOf(parts) * MOST_BYTES_PER_UNIT + parts.length * MOST_BESIDE;
  if (most > MAX_PAGE_BYTES) refuseLarge({ parts }, MAX_PAGE_BYTES);
};

/** The part with its words in a blob: of text it keeps the beginning, whole code points, at most 1 KiB. */
export const inBlob = <P extends Part>(part: P, blob: BlobRef): P => {
  const preview = part.type === 'image' ? '' : truncated(wordsOf(part) ?? '', PREVIEW_UNITS);
  return { ...withWords(part, preview), blob };
};

/** The part with its words in itself again; `null`: they were erased meanwhile. */
export const outOfBlob = <P extends Part>(part: P, words: string | null): P => {
  if (words === null) return erased(part);
  const { blob: _, ...whole } = withWords(part, words);
  return whole as P;
};

const withWords = <P extends Part>(part: P, words: string): P => {
  if (part.type === 'call') return { ...part, arguments: words };
  if (part.type !== 'image') return { ...part, text: words };
  return part.source?.kind === 'base64' ? { ...part, source: { ...part.source, data: words } } : part;
};

/** Whether words of the event stand in a blob. */
export const hasBlob = (body: EventBody): boolean => partsOf(body).some(({ blob }) => blob);

const unitsOf = (parts: readonly Part[]): number => parts.reduce((sum, part) => sum + sizeOfPart(part), 0);

const bytesInJson = (words: string): number => Buffer.byteLength(JSON.stringify(words));
