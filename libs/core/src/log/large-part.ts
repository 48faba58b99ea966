import { truncated } from '../text.js';
import { type EventBody, partsOf } from './event.js';
import { type BlobRef, type Part } from './part.js';

/** Words of more bytes than this, counted in JSON, stand in a blob (DESIGN §6). */
export const MAX_INLINE_BYTES = 65_536;
/** What all words of one event may weigh that do not: an event has to fit into a message and a page. */
export const MAX_INLINE_TOTAL_BYTES = 262_144;

/** A UTF-16 unit takes at most so many bytes in JSON (`\u0001`): fewer units than this need not be counted. */
const SURELY_SMALL = MAX_INLINE_BYTES / 6;
/** Three bytes a unit at most: a preview of no more than 1 KiB. Words no longer than that gain nothing by a blob. */
const PREVIEW_UNITS = 340;

/** The words of a part, whatever they are called there. */
export const wordsOf = (part: Part): string | null => (part.type === 'call' ? part.arguments : part.text);

/**
 * The numbers of the parts whose words are to stand in blobs: those that are too large themselves, and the largest of
 * the others while all of them together are.
 */
export const largeParts = (parts: readonly Part[]): number[] => {
  let units = 0;
  for (const part of parts) units += wordsOf(part)?.length ?? 0;
  if (units <= SURELY_SMALL) return [];
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

/** The part with its words in a blob: of them it keeps the beginning, whole code points, at most 1 KiB. */
export const inBlob = <P extends Part>(part: P, blob: BlobRef): P => {
  const preview = truncated(wordsOf(part) ?? '', PREVIEW_UNITS);
  return { ...part, blob, ...(part.type === 'call' ? { arguments: preview } : { text: preview }) };
};

/** The part with its words in itself again; `null`: they were erased meanwhile. */
export const outOfBlob = <P extends Part>({ blob: _, ...part }: P, words: string | null): P =>
  ({ ...part, ...(part.type === 'call' ? { arguments: words } : { text: words }) }) as P;

/** Whether words of the event stand in a blob. */
export const hasBlob = (body: EventBody): boolean => partsOf(body).some(({ blob }) => blob);

const bytesInJson = (words: string): number => Buffer.byteLength(JSON.stringify(words));
