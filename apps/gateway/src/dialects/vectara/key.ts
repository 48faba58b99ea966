import { randomInt } from 'node:crypto';
import { Key, notFound } from '@parley/core';

const MAX_KEY = 50;
const TAIL = 4;

/** The key of a noun whose maker gave none: made from its name, and not taken by anybody else, as good as surely. */
export const keyFrom = (prefix: 'agt' | 'ase', name: string): Key => {
  const tail = randomInt(36 ** TAIL)
    .toString(36)
    .padStart(TAIL, '0');
  const words = name
    .toLowerCase()
    .replace(/[^0-9a-z]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_KEY - prefix.length - TAIL - 2);
  return Key.parse([prefix, words, tail].filter((part) => part !== '').join('_'));
};

/**
 * A key as it stands in a path.
 * @throws PlatformError `not_found`: nothing has a key of that form.
 */
export const keyInPath = (noun: 'agent' | 'session', text: string): Key => {
  const key = Key.safeParse(text);
  if (!key.success) throw notFound(noun, text);
  return key.data;
};
