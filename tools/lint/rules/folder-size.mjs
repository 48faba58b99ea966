import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';

const source = /\.(ts|mjs)$/;
const besideSource = /\.(spec|contract)\.ts$/;

/**
 * A folder holds at most `max` source files, then it is split by noun (DESIGN §10). Specs and contract suites count
 * with the file they stand beside. Reported once, on the folder's first file.
 */
export const folderSize = {
  meta: {
    type: 'suggestion',
    docs: { description: 'a folder holds at most 12 files' },
    schema: [{ type: 'object', properties: { max: { type: 'integer' } }, additionalProperties: false }],
    messages: { full: 'Folder holds {{count}} files, {{max}} are allowed: split it by noun.' },
  },
  create(context) {
    const { max = 12 } = context.options[0] ?? {};
    return {
      Program(/** @type {any} */ node) {
        const files = readdirSync(dirname(context.filename))
          .filter((name) => source.test(name) && !besideSource.test(name))
          .sort();
        if (files.length <= max || files[0] !== basename(context.filename)) return;
        context.report({ node, messageId: 'full', data: { count: String(files.length), max: String(max) } });
      },
    };
  },
};
