import { type Tokens } from '../script/step.js';

const wordWithItsSpace = /\s*\S+|\s+$/gu;

/** Text as tokens: words with the white space before them. Joined they are the text again. */
export function tokensOf(text: Tokens): readonly string[] {
  return typeof text === 'string' ? (text.match(wordWithItsSpace) ?? []) : text;
}

/** Cuts text into `count` parts of about equal length (fewer if it is too short), never inside a code point. */
export function piecesOf(text: string, count: number): string[] {
  const points = Array.from(text);
  const size = Math.max(1, Math.ceil(points.length / count));
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += size) pieces.push(points.slice(at, at + size).join(''));
  return pieces;
}
