import { type BlobId } from '@parley/core';
import { type SessionRef } from '../run-log/run-log.js';

/** A blob that is stored whole. */
export interface StoredBlob {
  /** In bytes. */
  size: number;
  /** SHA-256 of its bytes, in hex. */
  sha256: string;
}

/** Bytes of a blob, from the first to before the second, counted from 0. */
export interface ByteRange {
  from: number;
  to: number;
}

/** Bytes in pieces of any size. */
export type Bytes = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * Values that are too large for a row or a message (DESIGN §6). A blob belongs to a session; nobody removes one by itself:
 * it goes with its session, and with the words that stand in it when they are erased (`RunLog.remove`, `RunLog.erase`).
 */
export abstract class BlobStore {
  /**
   * Stores a blob as it is read. Its id is the caller's: storing it again changes nothing and gives the first answer.
   * @throws PlatformError `not_found`: there is no such session.
   */
  abstract put(owner: SessionRef, id: BlobId, bytes: Bytes): Promise<StoredBlob>;

  /**
   * Reads a blob, or a range of it, piece by piece.
   * @throws PlatformError `not_found`: there is no such blob, or not any more.
   */
  abstract read(owner: SessionRef, id: BlobId, range?: ByteRange): AsyncIterable<Uint8Array>;
}
