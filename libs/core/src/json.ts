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
 * that cannot be stored (U+0000, lone surrogates). Looks no deeper than that, so no value can overflow the stack, and
 * makes the path only where there is a fault: it is on the way of every request.
 */
export const jsonFault = (root: unknown): JsonFault | undefined => {
  const fault = faultIn(root, 0);
  return fault && { path: dotted(fault.way.reverse()), reason: fault.reason };
};

interface Fault {
  /** From the place of the fault outwards. */
  way: (string | number)[];
  reason: string;
}

const faultIn = (value: unknown, depth: number): Fault | undefined => {
  if (typeof value === 'string') {
    return isWellFormed(value) ? undefined : { way: [], reason: 'holds U+0000 or half of a surrogate pair' };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= MAX_JSON_DEPTH) return { way: [], reason: `is nested deeper than ${MAX_JSON_DEPTH} levels` };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const fault = faultIn(value[index], depth + 1);
      if (fault) return outwards(fault, index);
    }
    return undefined;
  }
  for (const [key, child] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.has(key)) return { way: [key], reason: 'is a key that is not allowed' };
    if (!isWellFormed(key)) return { way: [], reason: 'has a key with U+0000 or half of a surrogate pair' };
    const fault = faultIn(child, depth + 1);
    if (fault) return outwards(fault, key);
  }
  return undefined;
};

const outwards = (fault: Fault, key: string | number): Fault => {
  fault.way.push(key);
  return fault;
};

const dotted = (way: (string | number)[]): string =>
  way.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`;
    return path === '' ? key : `${path}.${key}`;
  }, '');
