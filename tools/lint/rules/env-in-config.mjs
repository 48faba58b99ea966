import { basename } from 'node:path';

/**
 * `process.env` is read once, by a project's `config.ts`, through its schema (DESIGN §10): so every variable has a
 * type, a default and a line in `.env.example`, and all mistakes are reported together at the start.
 */
export const envInConfig = {
  meta: {
    type: 'problem',
    docs: { description: 'only config.ts reads process.env' },
    schema: [],
    messages: { env: 'Only config.ts reads the environment: take the value from the parsed config.' },
  },
  create(context) {
    if (basename(context.filename) === 'config.ts') return {};
    const report = (/** @type {any} */ node) => context.report({ node, messageId: 'env' });
    const isEnv = (/** @type {any} */ key) => key?.name === 'env' || key?.value === 'env';
    return {
      'MemberExpression[object.name="process"]': (/** @type {any} */ node) => isEnv(node.property) && report(node),
      'MemberExpression[object.property.name="process"]': (/** @type {any} */ node) =>
        isEnv(node.property) && report(node),
      'VariableDeclarator[init.name="process"] > ObjectPattern > Property': (/** @type {any} */ node) =>
        isEnv(node.key) && report(node),
      'ImportDeclaration[source.value=/^(node:)?process$/] > ImportSpecifier': (/** @type {any} */ node) =>
        isEnv(node.imported) && report(node),
    };
  },
};
