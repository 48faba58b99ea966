import { workspacePath } from './workspace-path.mjs';

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const banned = /^(utils?|common|helpers?|dtos?|impl|interfaces?)$/;

/** `startRun`, `start-run` and `run.start` are the same words. */
const words = (/** @type {string} */ name) => {
  const found = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/g) ?? [];
  return found
    .map((word) => word.toLowerCase())
    .sort()
    .join(' ');
};

/**
 * Files and folders are kebab-case, named after what they hold (DESIGN §10); `utils`, `common`, `helpers`, `dto`,
 * `impl` name nothing. A file that exports one class and nothing else bears its name. The one barrel of a project is its `src/index.ts`.
 */
export const fileNames = {
  meta: {
    type: 'problem',
    docs: { description: 'kebab-case names that say what a file holds; one barrel per project' },
    schema: [],
    messages: {
      own: 'This file holds {{name}}: name it after that.',
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
      'Program:exit'(/** @type {any} */ node) {
        const exported = node.body.filter(({ type }) => /^Export(Named|Default|All)Declaration$/.test(type));
        const only = exported.length === 1 ? exported[0].declaration : undefined;
        if (only?.type !== 'ClassDeclaration' || !only.id || !/\/src\/.*(?<!\.(spec|contract))\.ts$/.test(path)) return;
        const stem = path.slice(path.lastIndexOf('/') + 1, path.lastIndexOf('.'));
        if (words(only.id.name) !== words(stem)) {
          context.report({ node: only, messageId: 'own', data: { name: only.id.name } });
        }
      },
      ExportAllDeclaration(/** @type {any} */ node) {
        if (!path.endsWith('/src/index.ts') && !node.exported) context.report({ node, messageId: 'barrel' });
      },
    };
  },
};
