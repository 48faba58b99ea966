/**
 * A unit vector for a text: the sum of one direction for each of its words and of their three-letter pieces, so that
 * texts which share words point the same way. No language model: what means the same in other words is far apart.
 */
export function textVector(text: string, dimensions: number): number[] {
  const sum = new Array<number>(dimensions).fill(0);
  for (const { piece, weight } of piecesOf(text)) addDirection(sum, piece, weight);
  return unit(sum);
}

/** A vector cut to its first numbers, and of length 1 again. */
export const shortened = (vector: readonly number[], dimensions: number): number[] => unit(vector.slice(0, dimensions));

interface Piece {
  piece: string;
  weight: number;
}

function piecesOf(text: string): Piece[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text];
  return words.flatMap((word) => [
    { piece: word, weight: 1 },
    ...trigrams(` ${word} `).map((piece) => ({ piece: `~${piece}`, weight: 0.3 })),
  ]);
}

function trigrams(word: string): string[] {
  const points = Array.from(word);
  return points.slice(2).map((_, at) => points.slice(at, at + 3).join(''));
}

/** The same numbers between -1 and 1 for the same piece. */
function addDirection(sum: number[], piece: string, weight: number): void {
  let state = 2_166_136_261;
  for (const character of piece) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619);
  for (const [at, value] of sum.entries()) {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9;
    sum[at] = value + weight * (((state ^ (state >>> 13)) >>> 0) / 2 ** 31 - 1);
  }
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((number) => number / length);
}
