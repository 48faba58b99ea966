import { createHash } from 'node:crypto';
import { type BlobId, notFound } from '@parley/core';
import { type SessionRef } from '../run-log/run-log.js';
import { BlobStore, type ByteRange, type Bytes, type StoredBlob } from './blob-store.js';

/** The twin of PostgresBlobStore in memory: where there is no database. It knows no sessions, so it takes all. */
export class ReferenceBlobStore extends BlobStore {
  readonly #blobs = new Map<string, Buffer>();

  /** How many blobs are kept. */
  get count(): number {
    return this.#blobs.size;
  }

  async put(owner: SessionRef, id: BlobId, bytes: Bytes): Promise<StoredBlob> {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    const whole = this.#blobs.get(keyOf(owner, id)) ?? Buffer.concat(pieces);
    this.#blobs.set(keyOf(owner, id), whole);
    return { size: whole.length, sha256: createHash('sha256').update(whole).digest('hex') };
  }

  async *read(owner: SessionRef, id: BlobId, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const blob = this.#blobs.get(keyOf(owner, id));
    if (!blob) throw notFound('blob', id);
    yield blob.subarray(range?.from, range?.to);
  }
}

const keyOf = ({ tenant, session }: SessionRef, id: BlobId): string => `${tenant}/${session}/${id}`;
