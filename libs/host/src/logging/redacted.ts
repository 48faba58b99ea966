const SECRET_KEY =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|passwd|secret|token|(access|refresh|id)[-_]?token|(x[-_])?api[-_]?key|private[-_]?key)$/i;
/** In text: bearer tokens, keys by their usual prefix, the password of a URL. */
const SECRET_TEXT: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, '$1 [secret]'],
  [/\b(sk|pk|pl)-[\w-]{8,}/g, '$1-[secret]'],
  [/(\w:\/\/[^\s:/@]*:)[^\s@/]+@/g, '$1[secret]@'],
];
const MASK = '[secret]';
const MAX_DEPTH = 8;
const MAX_TEXT = 8_192;

/**
 * A value as it may be logged: what is named like a secret or looks like one is masked, at any depth; errors show
 * message, stack, code and cause; deep, circular and long values are cut.
 */
export const redacted = (value: unknown): unknown => shown(value, 0, new Set());

/** Text as it may be logged. */
export const redactedText = (text: string): string => {
  const masked = SECRET_TEXT.reduce((one, [pattern, mask]) => one.replace(pattern, mask), text);
  return masked.length > MAX_TEXT ? `${masked.slice(0, MAX_TEXT).toWellFormed()}… (${masked.length} in all)` : masked;
};

const shown = (value: unknown, depth: number, above: Set<object>): unknown => {
  if (typeof value === 'string') return redactedText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (above.has(value)) return '[circular]';
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (hasJson(value)) return shown(value.toJSON(), depth + 1, above);
  above.add(value);
  const inner = (part: unknown): unknown => shown(part, depth + 1, above);
  const copy = Array.isArray(value)
    ? value.map(inner)
    : copied(value instanceof Error ? fieldsOf(value) : value, inner);
  above.delete(value);
  return copy;
};

/** Errors often have a `toJSON` that leaves out what a log is for. */
const hasJson = (value: object): value is { toJSON: () => unknown } =>
  !(value instanceof Error) && 'toJSON' in value && typeof value.toJSON === 'function';

const copied = (value: object, inner: (part: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(value).map(([key, part]) => [key, SECRET_KEY.test(key) ? MASK : inner(part)]));

const fieldsOf = (error: Error): object => ({
  ...error,
  type: error.name,
  message: error.message,
  stack: error.stack,
  ...(error.cause === undefined ? {} : { cause: error.cause }),
});
