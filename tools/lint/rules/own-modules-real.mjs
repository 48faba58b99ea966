const mocks = new Set([
  'mock',
  'doMock',
  'unstable_mockModule',
  'setMock',
  'dontMock',
  'createMockFromModule',
  'genMockFromModule',
]);

/**
 * None of our own modules is mocked (DESIGN §10): a test gets a port's second form or a real server instead, which the
 * port's contract suite keeps honest.
 */
export const ownModulesReal = {
  meta: {
    type: 'problem',
    docs: { description: 'no jest.mock of our own modules' },
    schema: [],
    messages: { mocked: 'Our own module "{{name}}" is never mocked: pass another form of its port.' },
  },
  create(context) {
    return {
      'CallExpression[callee.object.name="jest"]'(/** @type {any} */ node) {
        const name = node.arguments[0]?.value ?? '';
        if (!mocks.has(node.callee.property.name) || !/^[./]|^@parley\//.test(name)) return;
        context.report({ node, messageId: 'mocked', data: { name } });
      },
    };
  },
};
