import { type BlobId } from '@parley/core';
import { BlobStore, type Bytes, type SessionRef, type StoredBlob } from '@parley/persistence';
import { type ParentLine } from './parent-line.js';

/** The blobs of the session whose run a child acts: its parent stores and reads them. */
export class ParentBlobs extends BlobStore {
  constructor(private readonly line: ParentLine) {
    super();
  }

  async put(owner: SessionRef, id: BlobId, bytes: Bytes): Promise<StoredBlob> {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    return (await this.line.ask('putBlob', [owner, id, pieces])) as StoredBlob;
  }

  async *read(owner: SessionRef, id: BlobId): AsyncGenerator<Uint8Array> {
    yield* (await this.line.ask('readBlob', [owner, id])) as Uint8Array[];
  }
}
