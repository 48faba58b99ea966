import { matchesAny, workspacePath } from './workspace-path.mjs';

/** `close` belongs to whoever opened the store. */
const lifecycle = ['close'];

/**
 * A store is the only code that touches its tables, and each app may use only the verbs of its part (DESIGN §3; the
 * table stands in ARCHITECTURE.md). Options: `in`, the globs it holds for; `verbs`, store → app → its verbs, `*` for
 * all. A store of libs/persistence that is not in the table may be used by nobody. Needs types, so that no other name,
 * subclass or `Pick` of a store hides it.
 */
export const storeVerbs = {
  meta: {
    type: 'problem',
    docs: { description: 'an app uses only its own verbs of a store' },
    schema: [
      {
        type: 'object',
        properties: { in: { type: 'array' }, verbs: { type: 'object' } },
        additionalProperties: false,
      },
    ],
    messages: { foreign: '{{app}} may not use {{store}}.{{verb}}: ask the app that owns it.' },
  },
  create(context) {
    const file = workspacePath(context);
    const { in: globs = [], verbs = {} } = context.options[0] ?? {};
    if (!matchesAny(file, globs)) return {};
    const app = file.split('/')[1];
    const { program, esTreeNodeToTSNodeMap } = context.sourceCode.parserServices;
    const checker = program.getTypeChecker();

    return {
      MemberExpression(/** @type {any} */ node) {
        const member = checker.getSymbolAtLocation(esTreeNodeToTSNodeMap.get(node.property));
        const owner = member?.declarations?.[0]?.parent;
        if (!owner?.name || !/\/libs\/persistence\//.test(owner.getSourceFile().fileName)) return;
        if (!/(Store|Log)$/.test(owner.name.text) || lifecycle.includes(member.name)) return;
        const store = Object.keys(verbs).find((name) => owner.name.text.endsWith(name));
        if (store && matchesAny(member.name, verbs[store][app] ?? [])) return;
        const data = { app, store: store ?? owner.name.text, verb: member.name };
        context.report({ node, messageId: 'foreign', data });
      },
    };
  },
};
