import { relative, sep } from 'node:path';

/**
 * The linted file's path from the workspace root, with forward slashes: `libs/core/src/run.ts`.
 * @param {import('eslint').Rule.RuleContext} context
 */
export function workspacePath(context) {
  return relative(context.cwd, context.filename).split(sep).join('/');
}

/**
 * A glob of this folder's rule options as a pattern: `*` is part of one name, `**` any depth, `{a,b}` either.
 * @param {string} glob
 */
export function globPattern(glob) {
  const source = glob
    .replace(/[.+^$()|[\]\\]/g, '\\$&')
    .replace(/\{([^}]*)\}/g, (_, names) => `(?:${names.replaceAll(',', '|')})`)
    .replace(/\*\*\/?|\*/g, (star) => (star === '*' ? '[^/]*' : '.*'));
  return new RegExp(`^${source}$`);
}

/**
 * @param {string} text
 * @param {readonly string[]} globs
 */
export function matchesAny(text, globs) {
  return globs.some((glob) => globPattern(glob).test(text));
}

/**
 * Visitors for every way a module can be named: import, re-export, `import()`, `import x = require()`, `import('x').Y`.
 * `visit` gets the node, the module's name and whether only types come through.
 * @param {(node: any, name: string, typeOnly: boolean) => void} visit
 */
export function onModuleName(visit) {
  const literal = (/** @type {any} */ source) => (typeof source?.value === 'string' ? source.value : undefined);
  const report = (/** @type {any} */ node, /** @type {any} */ source, /** @type {boolean} */ typeOnly) => {
    const name = literal(source);
    if (name !== undefined) visit(node, name, typeOnly);
  };
  const onlyTypes = (/** @type {any} */ node, /** @type {string} */ kind) =>
    node[kind] === 'type' ||
    (node.specifiers?.length > 0 && node.specifiers.every((/** @type {any} */ one) => one[kind] === 'type'));
  return {
    ImportDeclaration: (/** @type {any} */ node) => report(node, node.source, onlyTypes(node, 'importKind')),
    ExportNamedDeclaration: (/** @type {any} */ node) => report(node, node.source, onlyTypes(node, 'exportKind')),
    ExportAllDeclaration: (/** @type {any} */ node) => report(node, node.source, node.exportKind === 'type'),
    ImportExpression: (/** @type {any} */ node) => report(node, node.source, false),
    TSExternalModuleReference: (/** @type {any} */ node) => report(node, node.expression, false),
    TSImportType: (/** @type {any} */ node) => report(node, node.source ?? node.argument?.literal, true),
  };
}
