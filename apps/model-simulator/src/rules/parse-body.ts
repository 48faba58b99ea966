import { jsonFault } from '@parley/core';
import { type core, type z } from 'zod';
import { invalidRequest } from '../http/api-error.js';
import { explainIssue } from './explain-issue.js';
import { flatIssues, pathText, valueAt } from './flat-issues.js';

/**
 * The request in a body, as its schema has it; throws ApiError 400.
 * `extensions` are keys beyond OpenAI's that this provider takes and we ignore, such as `messages[].reasoning_content`.
 */
export function parseBody<S extends z.ZodType>(schema: S, text: string, extensions: readonly string[]): z.output<S> {
  const body = parseJson(text);
  const fault = jsonFault(body);
  if (fault) throw invalidRequest(fault.path || null, `Invalid '${fault.path}': ${fault.reason}.`, 'invalid_value');
  return check(schema, body, extensions);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidRequest(null, `The body of the request is not JSON: ${String(cause)}.`);
  }
}

function check<S extends z.ZodType>(schema: S, body: unknown, extensions: readonly string[]): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = flatIssues(parsed.error.issues);
  const dropped = issues.filter((issue) => dropExtensions(issue, body, extensions));
  if (dropped.length > 0) return check(schema, body, extensions);
  const [first] = issues;
  throw first ? explainIssue(first, body) : parsed.error;
}

/** Takes the keys that `extensions` names out of the object that an issue is about; says whether there were any. */
function dropExtensions(issue: core.$ZodIssue, body: unknown, extensions: readonly string[]): boolean {
  const holder = valueAt(body, issue.path);
  if (issue.code !== 'unrecognized_keys' || typeof holder !== 'object' || holder === null) return false;
  const extra = issue.keys.filter((key) => extensions.includes(anyIndex([...issue.path, key])));
  for (const key of extra) Reflect.deleteProperty(holder, key);
  return extra.length > 0;
}

/** `messages[3].reasoning_content` as `messages[].reasoning_content`. */
function anyIndex(path: readonly PropertyKey[]): string {
  return pathText(path).replaceAll(/\[\d+\]/g, '[]');
}
