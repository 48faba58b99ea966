/**
 * Text as it may be stored and sent (DESIGN §7.9): without U+0000, which Postgres cannot hold, and without lone
 * surrogates, which UTF-8 cannot carry. Both become U+FFFD.
 */
export const wellFormed = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\uFFFD');

/** True when `text` may be stored and sent as it is. */
export const isWellFormed = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000');

/** The longest prefix of `text` of at most `max` UTF-16 units that does not split a code point. */
export const truncated = (text: string, max: number): string => {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
};
