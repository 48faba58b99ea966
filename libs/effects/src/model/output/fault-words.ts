import { truncated } from '@parley/core';
import { type ErrorObject } from 'ajv';

/** The longest list of what is allowed, in UTF-16 units. */
const MAX_ALLOWED = 300;

/** What is wrong with a value, in words that its place completes; of the value itself nothing is told. */
export const faultWords = ({ keyword, params, message }: ErrorObject): string => {
  if (keyword === 'enum' && Array.isArray(params['allowedValues'])) {
    return `must be one of ${listed(params['allowedValues'])}`;
  }
  if (keyword === 'const') return `must be ${listed([params['allowedValue']])}`;
  return message ?? `is not as '${keyword}' says`;
};

const listed = (values: readonly unknown[]): string =>
  truncated(values.map((value) => JSON.stringify(value)).join(', '), MAX_ALLOWED);
