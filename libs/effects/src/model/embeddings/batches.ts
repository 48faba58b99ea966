/** Providers take 2,048 texts; fewer keep an answer small enough to be read between two ticks of a stream. */
const BATCH_TEXTS = 64;
/** Providers limit the tokens of a request too: about a quarter of these. A longer text goes alone. */
const BATCH_BYTES = 262_144;

/** Texts in the portions in which they are sent, in their order. */
export const batchesOf = (texts: readonly string[]): string[][] => {
  const batches: string[][] = [];
  let room = 0;
  for (const text of texts) {
    const bytes = Buffer.byteLength(text);
    const batch = batches.at(-1);
    if (batch && batch.length < BATCH_TEXTS && bytes <= room) batch.push(text);
    else {
      batches.push([text]);
      room = BATCH_BYTES;
    }
    room -= bytes;
  }
  return batches;
};
