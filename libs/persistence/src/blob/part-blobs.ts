import { createHash } from 'node:crypto';
import {
  BlobId,
  deriveId,
  type EventBody,
  hasBlob,
  inBlob,
  largeParts,
  outOfBlob,
  type Part,
  PlatformError,
  truncated,
  wordsOf,
} from '@parley/core';
import { type SessionRef } from '../run-log/run-log.js';
import { type BlobStore } from './blob-store.js';

/** UTF-16 units that are encoded at a time. */
const PIECE = 65_536;

/**
 * Puts the words of parts into blobs where they are too large for a row or a message, and gets them back. Parts of usual
 * size cost a look at their length.
 */
export class PartBlobs {
  constructor(readonly store: BlobStore) {}

  /**
   * The parts as rows and messages carry them. `place` tells them from all others of the session; the blobs' ids follow
   * from it and from the words, so that a repeated request stores nothing twice.
   * @throws PlatformError `not_found`: there is no such session.
   */
  async stow<P extends Part>(owner: SessionRef, place: string, parts: P[]): Promise<P[]> {
    const large = largeParts(parts);
    if (large.length === 0) return parts;
    const stowed = [...parts];
    for (const index of large) {
      const part = parts[index];
      const words = part && wordsOf(part);
      if (!part || words === null || words === undefined) continue;
      const key = [owner.session, place, index, createHash('sha256').update(words).digest('hex')].join('\0');
      const id = deriveId(BlobId, { tenant: owner.tenant, kind: 'blob', key });
      const { size } = await this.store.put(owner, id, encoded(words));
      stowed[index] = inBlob(part, { id, size });
    }
    return stowed;
  }

  /** The parts with all of their words. Words whose blob is gone were erased since the part was read. */
  async fetch<P extends Part>(owner: SessionRef, parts: readonly P[]): Promise<P[]> {
    const whole: P[] = [];
    for (const part of parts) whole.push(part.blob ? outOfBlob(part, await this.#words(owner, part.blob.id)) : part);
    return whole;
  }

  /** An event with all of its words; itself where none stand in blobs. */
  async fetchEvent<E extends { body: EventBody }>(owner: SessionRef, event: E): Promise<E> {
    const { body } = event;
    if (!hasBlob(body) || !('parts' in body) || !body.parts) return event;
    const parts = await this.fetch<Part>(owner, body.parts);
    return { ...event, body: { ...body, parts } };
  }

  async #words(owner: SessionRef, id: BlobId): Promise<string | null> {
    const pieces: Uint8Array[] = [];
    try {
      for await (const piece of this.store.read(owner, id)) pieces.push(piece);
    } catch (error) {
      if (PlatformError.from(error).code === 'not_found') return null;
      throw error;
    }
    return Buffer.concat(pieces).toString('utf8');
  }
}

function* encoded(words: string): Generator<Uint8Array> {
  for (let at = 0; at < words.length;) {
    const piece = truncated(words.slice(at, at + PIECE + 1), PIECE);
    yield Buffer.from(piece);
    at += piece.length;
  }
}
