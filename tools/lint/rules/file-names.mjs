import { workspacePath } from './workspace-path.mjs';

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const banned = /^(utils?|common|helpers?|dtos?|impl|interfaces?)$/;

/**
 * Files and folders are kebab-case, named after what they hold (DESIGN §10); `utils`, `common`, `helpers`, `dto`,
 * `impl` name nothing. The one barrel of a project is its `src/index.ts`.
 */
export const fileNames = {
  meta: {
    type: 'problem',
    docs: { description: 'kebab-case names that say what a file holds; one barrel per project' },
    schema: [],
    messages: {
      kebab: '"{{part}}" is not kebab-case.',
      banned: '"{{word}}" in "{{part}}" names nothing: name the file after what it exports.',
      barrel: 'The one barrel of a project is src/index.ts: import the file itself.',
    },
  },
  create(context) {
    const path = workspacePath(context);
    return {
      Program(/** @type {any} */ node) {
        for (const part of path.split('/').flatMap((name) => name.split('.'))) {
          if (part === '') continue;
          const word = part.split('-').find((one) => banned.test(one.toLowerCase()));
          if (!kebab.test(part)) context.report({ node, messageId: 'kebab', data: { part } });
          if (word) context.report({ node, messageId: 'banned', data: { part, word } });
        }
        if (/\/index\.ts$/.test(path) && !/^((apps|libs)\/[^/]+|bench)\/src\/index\.ts$/.test(path)) {
          context.report({ node, messageId: 'barrel' });
        }
      },
      ExportAllDeclaration(/** @type {any} */ node) {
        if (!path.endsWith('/src/index.ts') && !node.exported) context.report({ node, messageId: 'barrel' });
      },
    };
  },
};
