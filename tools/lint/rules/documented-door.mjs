import { workspacePath } from './workspace-path.mjs';

/**
 * What a library's `src/index.ts` exports is its door, and every name there has a docstring (DESIGN §10): what it is,
 * units, errors, the source of its rule. Needs types: the name is followed to where it is declared.
 */
export const documentedDoor = {
  meta: {
    type: 'suggestion',
    docs: { description: 'every public export of a library has a docstring' },
    schema: [],
    messages: { bare: '"{{name}}" is public and has no docstring.' },
  },
  create(context) {
    if (!/^libs\/[^/]+\/src\/index\.ts$/.test(workspacePath(context))) return {};
    const { program, esTreeNodeToTSNodeMap, tsNodeToESTreeNodeMap } = context.sourceCode.parserServices;
    const checker = program.getTypeChecker();
    const isBare = (/** @type {any} */ symbol) => {
      const declared = symbol.flags & 2097152 /* Alias */ ? checker.getAliasedSymbol(symbol) : symbol;
      return declared.getDocumentationComment(checker).length === 0;
    };
    return {
      'Program:exit'(/** @type {any} */ file) {
        const module = checker.getSymbolAtLocation(esTreeNodeToTSNodeMap.get(file));
        if (!module) return;
        for (const symbol of checker.getExportsOfModule(module).filter(isBare)) {
          const node = tsNodeToESTreeNodeMap.get(symbol.declarations?.[0]) ?? file; // the file, when through `export *`
          context.report({ node, messageId: 'bare', data: { name: symbol.name } });
        }
      },
    };
  },
};
