/**
 * The `code` of what node or Postgres threw (`ENOENT`, `57P01`), undefined where it has none. Asks no class: an error of
 * node is not an instance of our `Error` where modules run in a realm of their own, as they do in specs.
 */
export function errorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** What an error says, or the text of what else was thrown. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
