import { createHash } from 'node:crypto';
import { BlobId, newId, type SessionId, TenantId } from '@parley/core';
import { type BlobStore, type Bytes } from './blob-store.js';

/** One form of the store. */
export interface BlobStoreForm {
  blobs: BlobStore;
  /** Makes a session for blobs to belong to. */
  makeSession(tenant: TenantId): Promise<SessionId>;
  close(): Promise<void>;
}

/** Bytes that tell where they stood. */
export const sampleBytes = (length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(at, at);
  return bytes;
};

/** All bytes of a reading. */
export const collected = async (pieces: Bytes): Promise<Buffer> => {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
};

function* cut(bytes: Buffer, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What every form of `BlobStore` does. */
export const describeBlobStore = (name: string, makeForm: () => Promise<BlobStoreForm>): void => {
  describe(`${name} as a BlobStore`, () => {
    let form: BlobStoreForm;
    const tenant = newId(TenantId);
    let session: SessionId;

    beforeAll(async () => {
      form = await makeForm();
      session = await form.makeSession(tenant);
    });
    afterAll(() => form.close());

    it.each([0, 1, 262_143, 262_144, 262_145, 3 * 2 ** 20])('gives back %d bytes as they were', async (length) => {
      const bytes = sampleBytes(length);
      const id = newId(BlobId);
      const stored = await form.blobs.put({ tenant, session }, id, cut(bytes, 100_000));
      expect(stored).toEqual({ size: length, sha256: createHash('sha256').update(bytes).digest('hex') });
      expect((await collected(form.blobs.read({ tenant, session }, id))).equals(bytes)).toBe(true);
    });

    it.each([
      [0, 1],
      [262_140, 262_150],
      [262_144, 524_288],
      [700_000, 9_999_999],
      [5, 5],
    ])('gives the range from %d to %d', async (from, to) => {
      const bytes = sampleBytes(750_000);
      const id = newId(BlobId);
      await form.blobs.put({ tenant, session }, id, [bytes]);
      const range = await collected(form.blobs.read({ tenant, session }, id, { from, to }));
      expect(range.equals(bytes.subarray(from, to))).toBe(true);
    });

    it('changes nothing when a blob is stored again', async () => {
      const id = newId(BlobId);
      const first = await form.blobs.put({ tenant, session }, id, [Buffer.from('first')]);
      expect(await form.blobs.put({ tenant, session }, id, [Buffer.from('second')])).toEqual(first);
      expect((await collected(form.blobs.read({ tenant, session }, id))).toString()).toBe('first');
    });

    it('stores a blob anew whose storing broke off', async () => {
      const id = newId(BlobId);
      const broken = (function* () {
        yield sampleBytes(600_000);
        throw new Error('the sender is gone');
      })();
      await expect(form.blobs.put({ tenant, session }, id, broken)).rejects.toThrow('the sender is gone');
      await expect(collected(form.blobs.read({ tenant, session }, id))).rejects.toMatchObject({ code: 'not_found' });
      await form.blobs.put({ tenant, session }, id, [Buffer.from('shorter')]);
      expect((await collected(form.blobs.read({ tenant, session }, id))).toString()).toBe('shorter');
    });

    it('knows a blob by its tenant and its session only', async () => {
      const id = newId(BlobId);
      await form.blobs.put({ tenant, session }, id, [Buffer.from('mine')]);
      const other = newId(TenantId);
      const others = [
        { tenant: other, session },
        { tenant, session: await form.makeSession(tenant) },
        { tenant: other, session: await form.makeSession(other) },
      ];
      for (const owner of others) {
        await expect(collected(form.blobs.read(owner, id))).rejects.toMatchObject({ code: 'not_found' });
      }
    });
  });
};
