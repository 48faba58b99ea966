const suites = new Set(['describe', 'it', 'test']);
const aliases = new Set(['fdescribe', 'fit', 'xdescribe', 'xit', 'xtest']);
const switches = new Set(['only', 'skip', 'todo', 'failing', 'skipIf', 'runIf']);

/** Every test runs, always: nothing focused, nothing skipped, nothing planned. A test that may be skipped proves nothing. */
export const wholeSuite = {
  meta: {
    type: 'problem',
    docs: { description: 'no focused and no skipped tests' },
    schema: [],
    messages: { partial: '"{{name}}" leaves tests out: delete the test or make it pass.' },
  },
  create(context) {
    const root = (/** @type {any} */ node) =>
      node.type === 'MemberExpression'
        ? root(node.object)
        : node.type === 'CallExpression'
          ? root(node.callee)
          : node.name;
    const report = (/** @type {any} */ node, /** @type {string} */ name) =>
      context.report({ node, messageId: 'partial', data: { name } });
    return {
      MemberExpression(/** @type {any} */ node) {
        const name = node.property.name ?? node.property.value;
        if (switches.has(name) && suites.has(root(node.object))) report(node, `${root(node.object)}.${name}`);
      },
      Identifier(/** @type {any} */ node) {
        if (aliases.has(node.name) && node.parent.type !== 'MemberExpression') report(node, node.name);
      },
    };
  },
};
