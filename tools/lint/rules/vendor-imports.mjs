import { isBuiltin } from 'node:module';
import { matchesAny, onModuleName, workspacePath } from './workspace-path.mjs';

/**
 * Who may know which vendor (DESIGN §4). Two tables of options:
 * `owners`: `{ packages, in, typesIn? }`: these packages are imported only by files under `in`; `typesIn` may import
 *   their types, which leave nothing in the built code.
 * `pure`: `{ in, packages }`: files under `in` import these packages, the workspace's own and relative files, nothing else.
 */
export const vendorImports = {
  meta: {
    type: 'problem',
    docs: { description: 'only the owning project imports a vendor package; pure projects import none' },
    schema: [
      {
        type: 'object',
        properties: { owners: { type: 'array' }, pure: { type: 'array' } },
        additionalProperties: false,
      },
    ],
    messages: {
      owned: '"{{name}}" is imported only by {{owners}}: use that library\'s door instead.',
      pure: '"{{name}}" has no place in {{project}}: this project is pure and imports only {{packages}}.',
    },
  },
  create(context) {
    const file = workspacePath(context);
    const { owners = [], pure = [] } = context.options[0] ?? {};
    const purity = pure.find((/** @type {any} */ one) => matchesAny(file, one.in));
    const foreign = owners.filter((/** @type {any} */ one) => !matchesAny(file, one.in));

    return onModuleName((node, name, typeOnly) => {
      if (/^[./]|^@parley\//.test(name)) return;
      if (purity && !matchesAny(packageOf(name), purity.packages)) {
        const data = { name, project: file.split('/').slice(0, 2).join('/'), packages: purity.packages.join(', ') };
        context.report({ node, messageId: 'pure', data });
        return;
      }
      const owner = foreign.find((/** @type {any} */ one) => matchesAny(packageOf(name), one.packages));
      if (!owner || (typeOnly && matchesAny(file, owner.typesIn ?? []))) return;
      context.report({ node, messageId: 'owned', data: { name, owners: owner.in.join(', ') } });
    });
  },
};

/** `@prisma/client/runtime` → `@prisma/client`, `crypto` → `node:crypto`. */
function packageOf(/** @type {string} */ name) {
  if (isBuiltin(name)) return name.startsWith('node:') ? name : `node:${name}`;
  const parts = name.split('/');
  return parts.slice(0, name.startsWith('@') ? 2 : 1).join('/');
}
