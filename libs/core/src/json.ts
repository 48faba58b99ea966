import { z } from 'zod';
import { isWellFormed } from './text.js';

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** Any JSON object as it came from a caller; depth and size were limited before it was parsed. */
export const JsonObject = z.record(z.string(), z.json()) as z.ZodType<JsonObject>;

/** The deepest nesting of arrays and objects that any door accepts (DESIGN §9). */
export const MAX_JSON_DEPTH = 64;

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** What makes a JSON value unacceptable at any door, with the place where it was found. */
export interface JsonFault {
  /** Dotted path, `''` for the value itself. */
  path: string;
  reason: string;
}

/**
 * The first reason to refuse a parsed JSON value: nested deeper than 64, a key that could reach a prototype, or text
 * that cannot be stored (U+0000, lone surrogates). Walks with its own stack, so depth cannot overflow the call stack.
 */
export const jsonFault = (root: unknown): JsonFault | undefined => {
  const stack: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 0 }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string' && !isWellFormed(value)) {
      return { path, reason: 'holds U+0000 or half of a surrogate pair' };
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAX_JSON_DEPTH) return { path, reason: `is nested deeper than ${MAX_JSON_DEPTH} levels` };
    for (const [key, child] of Object.entries(value)) {
      const at = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      if (FORBIDDEN_KEYS.has(key)) return { path: at, reason: 'is a key that is not allowed' };
      if (!isWellFormed(key)) return { path, reason: 'has a key with U+0000 or half of a surrogate pair' };
      stack.push({ value: child, path: at, depth: depth + 1 });
    }
  }
  return undefined;
};
