import { RE2JS } from 're2js';
import { refused } from './parsed.js';

/**
 * Refuses what is not an RE2 expression, before it goes to whoever matches by it.
 * @throws PlatformError `invalid_input`, naming the field.
 */
export const refuseBadPattern = (field: string, pattern: string): void => {
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason given';
    throw refused(field, `is not a regular expression in RE2 syntax: ${reason}`);
  }
};
