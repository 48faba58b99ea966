import { PlatformError } from '@parley/core';
import { RE2JS } from 're2js';

/** What a list is filtered by. */
export interface Described {
  name: string;
  description: string | null;
}

/** Longer text is examined so far, in UTF-16 units; it bounds what one row can cost. */
const EXAMINED = 4_096;

/**
 * Tells whether name or description contain a match of an RE2 expression, in time linear in their length.
 * @throws PlatformError `invalid_input` when the expression is not one.
 */
export const namePattern = (pattern: string): ((described: Described) => boolean) => {
  const compiled = compile(pattern);
  const matches = (text: string): boolean => compiled.matcher(text.slice(0, EXAMINED)).find();
  return ({ name, description }) => matches(name) || (description !== null && matches(description));
};

const compile = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'cannot be read';
    const issues = [{ path: 'pattern', message: `is not an RE2 expression: ${reason}` }];
    throw new PlatformError('invalid_input', 'the filter is not an RE2 expression', { issues }, { cause: error });
  }
};
