import { isUtf8 } from 'node:buffer';
import { type Json, jsonFault, MAX_JSON_DEPTH, PlatformError } from '@parley/core';
import { jsonSyntaxFault } from './json-syntax.js';

/** The most fields that one object may have. */
const MAX_FIELDS = 10_000;

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const CLOSING: Record<number, string> = { 0x5b: ']', 0x7b: '}' };

/**
 * Reads a JSON body. Nesting and fields are counted before anything is parsed, so that no body, however deep or wide,
 * costs more than one pass over its bytes (DESIGN §9).
 * @throws PlatformError `malformed`, with the place: not UTF-8, not JSON (the position), nested too deep, too many fields,
 * a key that is not allowed, text that cannot be stored.
 */
export const parseJsonBody = (bytes: Buffer): Json => {
  if (bytes.length === 0) throw new PlatformError('malformed', 'the body is empty, JSON is expected');
  if (!isUtf8(bytes)) throw new PlatformError('malformed', 'the body is not UTF-8');
  const value = parsed(measured(bytes));
  const fault = jsonFault(value);
  if (fault) throw faulty(fault.path, fault.reason);
  return value;
};

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    const { at, expected } = jsonSyntaxFault(text);
    throw new PlatformError('malformed', `the body is not JSON: expected ${expected} at position ${at}`);
  }
};

const faulty = (path: string, reason: string): PlatformError =>
  new PlatformError('malformed', `the body is not acceptable: ${path === '' ? 'it' : `'${path}'`} ${reason}`, {
    issues: [{ path, message: reason }],
  });

/** A bracket that is open: where it stands, and how many fields have begun behind it. */
interface Bracket {
  byte: number;
  at: number;
  fields: number;
}

/** The text of a body; of one that is nested too deep only what leads there, closed, so that its fault has a path. */
const measured = (bytes: Buffer): string => {
  const open: Bracket[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte in CLOSING) {
      open.push({ byte, at, fields: 0 });
      if (open.length > MAX_JSON_DEPTH) return upToLast(bytes, open);
    } else if (byte === 0x5d || byte === 0x7d) open.pop();
    else if (byte === COLON) {
      const last = open.at(-1);
      if (last && ++last.fields > MAX_FIELDS) throw faulty(lastPlace(parsed(upToLast(bytes, open))), TOO_WIDE);
    }
  }
  return bytes.toString('utf8');
};

const TOO_WIDE = `has more than ${MAX_FIELDS} fields`;

/** The text up to the last open bracket, with all of them closed. */
const upToLast = (bytes: Buffer, open: Bracket[]): string => {
  const closing = open.map(({ byte }) => CLOSING[byte] ?? '').reverse();
  return bytes.toString('utf8', 0, (open.at(-1)?.at ?? 0) + 1) + closing.join('');
};

/** The path to the last value in a JSON value. */
const lastPlace = (value: Json): string => {
  if (typeof value !== 'object' || value === null) return '';
  const last = Object.entries(value).at(-1);
  if (!last) return '';
  const [key, child] = last;
  const [here, rest] = [Array.isArray(value) ? `[${key}]` : key, lastPlace(child)];
  return rest === '' || rest.startsWith('[') ? here + rest : `${here}.${rest}`;
};

/** Where the string that begins at `from` ends; the end of the body if it does not. */
const endOfString = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(QUOTE, from + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return bytes.length;
};
