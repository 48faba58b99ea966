import { dialectsApart } from './dialects-apart.mjs';
import { envInConfig } from './env-in-config.mjs';
import { fileNames } from './file-names.mjs';
import { folderSize } from './folder-size.mjs';
import { outgoingConnections } from './outgoing-connections.mjs';
import { ownModulesReal } from './own-modules-real.mjs';
import { vendorImports } from './vendor-imports.mjs';
import { wholeSuite } from './whole-suite.mjs';

/** The rules of this house that no published plugin has. Each one's file says where the rule comes from. */
export const parleyPlugin = {
  meta: { name: 'parley' },
  rules: {
    'dialects-apart': dialectsApart,
    'env-in-config': envInConfig,
    'file-names': fileNames,
    'folder-size': folderSize,
    'outgoing-connections': outgoingConnections,
    'own-modules-real': ownModulesReal,
    'vendor-imports': vendorImports,
    'whole-suite': wholeSuite,
  },
};
