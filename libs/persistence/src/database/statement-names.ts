/** More texts than the stores have; lists of varying length make more, and each costs every connection memory. */
const MAX_STATEMENTS = 500;

/**
 * Names for Prisma's statements, so that the server parses and plans each once a connection. A text keeps its name for
 * good; beyond the limit the empty name means: not prepared.
 */
export function statementNames(max: number = MAX_STATEMENTS): (query: { readonly sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= max) return '';
    const name = `p${names.size + 1}`;
    names.set(sql, name);
    return name;
  };
}
