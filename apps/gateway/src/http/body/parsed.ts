import { issuesOf, issuesText, jsonFault, PlatformError } from '@parley/core';
import { type z } from 'zod';

/**
 * What a schema makes of a body that a client sent; the request may have come without one.
 * @throws PlatformError `invalid_input` with every issue and its path.
 */
export const parsedBody = <S extends z.ZodType>(schema: S, body: unknown): z.output<S> => {
  if (body === undefined)
    throw new PlatformError('invalid_input', 'the request has no body: send one as application/json');
  return parsed(schema, body);
};

/**
 * What a schema makes of something a client sent.
 * @throws PlatformError `invalid_input` with every issue and its path.
 */
export const parsed = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = issuesOf(result.error);
  throw new PlatformError('invalid_input', issuesText(issues), { issues });
};

/** `parsed`, for what came in a query string: nobody has looked at its text yet. */
export const parsedQuery = <S extends z.ZodType>(schema: S, query: unknown): z.output<S> => {
  const fault = jsonFault(query);
  if (fault) throw refused(fault.path, fault.reason);
  return parsed(schema, query);
};

/** The refusal of one field, in words that its name completes. */
export const refused = (path: string, reason: string): PlatformError =>
  new PlatformError('invalid_input', `${path} ${reason}`, { issues: [{ path, message: reason }] });
