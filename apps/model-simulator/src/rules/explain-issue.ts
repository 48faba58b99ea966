import { type core } from 'zod';
import { type ApiError, invalidRequest } from '../http/api-error.js';
import { pathText, valueAt } from './flat-issues.js';

/** What OpenAI answers to a body with this fault: same `param`, same `code`, a message of the same form. */
export function explainIssue(issue: core.$ZodIssue, body: unknown): ApiError {
  const param = pathText(issue.path);
  const value = valueAt(body, issue.path);
  if (value === undefined && issue.code !== 'unrecognized_keys' && issue.path.length > 0) {
    return invalidRequest(param, `Missing required parameter: '${param}'.`, 'missing_required_parameter');
  }
  switch (issue.code) {
    case 'unrecognized_keys': {
      const unknown = pathText([...issue.path, ...issue.keys.slice(0, 1)]);
      return invalidRequest(unknown, `Unknown parameter: '${unknown}'.`, 'unknown_parameter');
    }
    case 'invalid_type':
      return wrongType(param, article(issue.expected), value);
    case 'invalid_union':
      return 'options' in issue && issue.options
        ? wrongValue(param, value, issue.options)
        : wrongType(param, 'another type or value', value);
    case 'invalid_value':
      return wrongValue(param, value, issue.values);
    case 'too_small':
      return outOfRange(param, issue.origin, { edge: 'below_min', limit: issue.minimum });
    case 'too_big':
      return outOfRange(param, issue.origin, { edge: 'above_max', limit: issue.maximum });
    case 'invalid_format':
      return invalidRequest(
        param,
        `Invalid '${param}': string does not match pattern. Expected a string that matches ${issue.pattern ?? issue.format}.`,
        'invalid_value',
      );
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
    case 'custom':
      return invalidRequest(param, `Invalid value for '${param}': ${issue.message}.`, 'invalid_value');
  }
}

function wrongType(param: string, expected: string, value: unknown): ApiError {
  const place = param === '' ? 'the request body' : `'${param}'`;
  const message = `Invalid type for ${place}: expected ${expected}, but got ${kindOf(value)} instead.`;
  return invalidRequest(param === '' ? null : param, message, 'invalid_type');
}

function wrongValue(param: string, value: unknown, supported: readonly core.util.Primitive[]): ApiError {
  const given = typeof value === 'string' ? `'${value}'` : kindOf(value);
  const list = supported.map((one) => `'${String(one)}'`).join(', ');
  return invalidRequest(param, `Invalid value: ${given}. Supported values are: ${list}.`, 'invalid_value');
}

function outOfRange(
  param: string,
  origin: string,
  { edge, limit }: { edge: 'below_min' | 'above_max'; limit: number | bigint },
): ApiError {
  const measure = origin === 'number' ? 'value' : 'length';
  const prefix = origin === 'number' ? 'decimal' : origin; // zod does not say whether an integer was wanted
  const code = origin === 'array' && edge === 'below_min' ? 'empty_array' : `${prefix}_${edge}_${measure}`;
  const expected = `${edge === 'below_min' ? '>=' : '<='} ${limit}`;
  return invalidRequest(param, `Invalid '${param}': expected ${article(origin)} with a ${measure} ${expected}.`, code);
}

function article(type: string): string {
  const name = type === 'int' ? 'integer' : type === 'record' ? 'object' : type;
  return `${/^[aio]/.test(name) ? 'an' : 'a'} ${name}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return article(typeof value);
}
