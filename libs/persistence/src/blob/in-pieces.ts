import { type Bytes } from './blob-store.js';

/** The same bytes in pieces of `size`, the last one shorter; each is a copy of its own. */
export async function* inPieces(bytes: Bytes, size: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let piece = new Uint8Array(size);
  let filled = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length;) {
      const taken = chunk.subarray(at, at + size - filled);
      piece.set(taken, filled);
      filled += taken.length;
      at += taken.length;
      if (filled < size) continue;
      yield piece;
      piece = new Uint8Array(size);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
