import { PlatformError, truncated } from '@parley/core';

/** The longest place, reason and whole message that is told, in UTF-16 units. */
const MAX_PATH = 200;
const MAX_REASON = 500;
const MAX_MESSAGE = 2_000;

/** An error as it is told: names that a client sends are in it, and may be as long as a body. */
export const bounded = (error: PlatformError): PlatformError => {
  const { code, message, details } = error;
  const issues = details.issues?.map((issue) => ({
    path: shortened(issue.path, MAX_PATH),
    message: shortened(issue.message, MAX_REASON),
  }));
  const told = { ...details, ...(issues && { issues }) };
  return new PlatformError(code, shortened(message, MAX_MESSAGE), told, { cause: error });
};

const shortened = (text: string, max: number): string => (text.length <= max ? text : `${truncated(text, max - 1)}…`);
