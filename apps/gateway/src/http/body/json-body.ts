import { isUtf8 } from 'node:buffer';
import { type Json, jsonFault, MAX_JSON_DEPTH, PlatformError } from '@parley/core';
import { jsonSyntaxFault } from './json-syntax.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSING: Record<number, string> = { 0x5b: ']', 0x7b: '}' };

/**
 * Reads a JSON body. Nesting is measured before anything is parsed, so that no body, however deep, costs more than one
 * pass over its bytes (DESIGN §9).
 * @throws PlatformError `malformed`, with the place: not UTF-8, not JSON (the position), nested too deep, a key that is
 * not allowed, text that cannot be stored.
 */
export const parseJsonBody = (bytes: Buffer): Json => {
  if (bytes.length === 0) throw new PlatformError('malformed', 'the body is empty, JSON is expected');
  if (!isUtf8(bytes)) throw new PlatformError('malformed', 'the body is not UTF-8');
  const value = parsed(shallow(bytes));
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

/** The text of a body; of one that is nested too deep only what leads there, closed, so that its fault has a path. */
const shallow = (bytes: Buffer): string => {
  const open: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte in CLOSING) {
      open.push(byte);
      if (open.length > MAX_JSON_DEPTH) return bytes.toString('utf8', 0, at + 1) + closing(open);
    } else if (byte === 0x5d || byte === 0x7d) open.pop();
  }
  return bytes.toString('utf8');
};

const closing = (open: number[]): string =>
  open
    .map((byte) => CLOSING[byte] ?? '')
    .reverse()
    .join('');

/** Where the string that begins at `from` ends; the end of the body if it does not. */
const endOfString = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(QUOTE, from + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return bytes.length;
};
