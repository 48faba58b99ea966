import { type z } from 'zod';
import { type Issue } from './error.js';

/** How many places one refusal names: nobody mends more at once, and an answer must not grow with what it answers. */
const MAX_ISSUES = 20;

/**
 * What a schema found wrong, as a caller is told it: one issue for each place, every unknown key by its own path; where
 * no branch of a union fits, those of the branch that came nearest. The first 20; what follows is counted in one more.
 */
export const issuesOf = (error: { issues: readonly z.core.$ZodIssue[] }): Issue[] => {
  const issues = flattened(error.issues, []);
  if (issues.length <= MAX_ISSUES) return issues;
  return [...issues.slice(0, MAX_ISSUES), { path: '', message: `and ${issues.length - MAX_ISSUES} more` }];
};

/** The issues in one sentence, for logs and for messages that have to stand alone. */
export const issuesText = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');

const flattened = (issues: readonly z.core.$ZodIssue[], base: readonly PropertyKey[]): Issue[] =>
  issues.flatMap((issue): Issue[] => {
    const path = [...base, ...issue.path];
    if (issue.code === 'invalid_union' && issue.errors.length > 0) return flattened(nearest(issue.errors), path);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: dotted([...path, key]), message: 'is not a known field' }));
    }
    return [{ path: dotted(path), message: reason(issue) }];
  });

const nearest = (branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] =>
  branches.reduce((best, branch) => (branch.length < best.length ? branch : best));

const reason = (issue: z.core.$ZodIssue): string => {
  const { code, message } = issue;
  if (code === 'invalid_key') return issue.issues.map((one) => one.message).join('; ');
  if (code !== 'invalid_type') return message;
  if (message.endsWith('received undefined')) return 'is required';
  return message.endsWith('expected number, received NaN') ? 'must be a number' : message;
};

/** A path as issues have it: names between dots, places of a list in brackets. */
export const dotted = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
