import { dirname, join } from 'node:path/posix';
import { onModuleName, workspacePath } from './workspace-path.mjs';

const dialectFolder = /^apps\/gateway\/src\/dialects\/([^/]+)\//;

/**
 * A dialect is a lens of its own (DESIGN §1, §4): `dialects/<a>` never imports `dialects/<b>`, so a fifth dialect
 * touches one folder. What two of them need belongs behind a contract or in `http/`.
 */
export const dialectsApart = {
  meta: {
    type: 'problem',
    docs: { description: 'dialects/<a> never imports dialects/<b>' },
    schema: [],
    messages: { neighbour: 'Dialect "{{own}}" imports its neighbour "{{other}}": dialects never know each other.' },
  },
  create(context) {
    const file = workspacePath(context);
    const own = dialectFolder.exec(file)?.[1];
    if (!own) return {};
    return onModuleName((node, name) => {
      if (!name.startsWith('.')) return;
      const other = dialectFolder.exec(join(dirname(file), name))?.[1];
      if (other && other !== own) context.report({ node, messageId: 'neighbour', data: { own, other } });
    });
  },
};
