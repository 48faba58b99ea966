import { createHash } from 'node:crypto';
import { type BlobId, notFound } from '@parley/core';
import { breaks, storeFailure } from '../database/constraint.js';
import { type TenantDatabase, type TenantTransaction } from '../database/prisma.js';
import { type SessionRef } from '../run-log/run-log.js';
import { BlobStore, type ByteRange, type Bytes, type StoredBlob } from './blob-store.js';
import { inPieces } from './in-pieces.js';

/** Small enough for a row, large enough that a transaction of its own costs little beside it. */
const CHUNK_BYTES = 262_144;

/**
 * BlobStore on Postgres, as a role that sees nothing else. Each chunk is written and read in a transaction of its own,
 * so that none is open while somebody slow sends or takes the bytes.
 */
export class PostgresBlobStore extends BlobStore {
  constructor(private readonly database: TenantDatabase) {
    super();
  }

  async put(owner: SessionRef, id: BlobId, bytes: Bytes): Promise<StoredBlob> {
    const known = await this.begin(owner, id);
    if (known) return known;
    const hash = createHash('sha256');
    let size = 0;
    let n = 0;
    for await (const chunk of inPieces(bytes, CHUNK_BYTES)) {
      hash.update(chunk);
      size += chunk.length;
      await this.write(owner, id, { n, chunk });
      n += 1;
    }
    return await this.end(owner, id, { size, chunks: n, sha256: hash.digest() });
  }

  async *read(owner: SessionRef, id: BlobId, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const { tenant, session } = owner;
    const found = await this.inTenant(owner, (tx) =>
      tx.blob.findUnique({ where: { tenant_session_id: { tenant, session, id } }, select: { size: true } }),
    );
    if (typeof found?.size !== 'number') throw notFound('blob', id);
    const from = range?.from ?? 0;
    const to = Math.min(range?.to ?? found.size, found.size);
    for (let n = Math.floor(from / CHUNK_BYTES); n * CHUNK_BYTES < to; n++) {
      const chunk = await this.inTenant(owner, (tx) =>
        tx.blobChunk.findUnique({ where: { tenant_session_blobId_n: { tenant, session, blobId: id, n } } }),
      );
      if (!chunk) throw notFound('blob', id);
      yield chunk.bytes.subarray(Math.max(0, from - n * CHUNK_BYTES), to - n * CHUNK_BYTES);
    }
  }

  /** Notes that the blob is being stored, so that it is not swept meanwhile. @returns what is stored already. */
  private async begin(owner: SessionRef, id: BlobId): Promise<StoredBlob | undefined> {
    const { tenant, session } = owner;
    try {
      return await this.database.inTenant(tenant, async (tx) => {
        const [row] = await tx.$queryRaw<{ size: number | null; sha256: Uint8Array | null }[]>`
          insert into blobs as b (tenant, session, id) values (${tenant}::uuid, ${session}::uuid, ${id}::uuid)
          on conflict (tenant, session, id) do update set stored_at = clock_timestamp()
          returning b.size, b.sha256`;
        return typeof row?.size === 'number' ? { size: row.size, sha256: hex(row.sha256) } : undefined;
      });
    } catch (error) {
      if (breaks('foreign_key', error)) throw notFound('session', session);
      throw storeFailure(error);
    }
  }

  private async write(owner: SessionRef, id: BlobId, { n, chunk }: { n: number; chunk: Uint8Array }): Promise<void> {
    const { tenant, session } = owner;
    await this.inTenant(
      owner,
      (tx) => tx.$executeRaw`
        insert into blob_chunks (tenant, session, blob, n, bytes)
        select tenant, session, id, ${n}, ${chunk} from blobs
         where tenant = ${tenant}::uuid and session = ${session}::uuid and id = ${id}::uuid and size is null
        on conflict (tenant, session, blob, n) do update set bytes = excluded.bytes`,
    );
  }

  /** Makes the blob whole, unless somebody else has meanwhile. */
  private async end(
    owner: SessionRef,
    id: BlobId,
    { size, chunks, sha256 }: { size: number; chunks: number; sha256: Buffer },
  ): Promise<StoredBlob> {
    const { tenant, session } = owner;
    return await this.inTenant(owner, async (tx) => {
      const { count } = await tx.blob.updateMany({
        where: { tenant, session, id, size: null },
        data: { size, sha256: Uint8Array.from(sha256) },
      });
      if (count > 0) await tx.blobChunk.deleteMany({ where: { tenant, session, blobId: id, n: { gte: chunks } } });
      const row = await tx.blob.findUnique({ where: { tenant_session_id: { tenant, session, id } } });
      if (typeof row?.size !== 'number') throw notFound('session', session); // it was removed, and the blob with it
      return { size: row.size, sha256: hex(row.sha256) };
    });
  }

  private async inTenant<T>({ tenant }: SessionRef, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.inTenant(tenant, work);
    } catch (error) {
      throw storeFailure(error);
    }
  }
}

const hex = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('hex');
