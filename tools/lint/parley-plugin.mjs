import { dialectsApart } from './rules/dialects-apart.mjs';
import { documentedDoor } from './rules/documented-door.mjs';
import { envInConfig } from './rules/env-in-config.mjs';
import { fileNames } from './rules/file-names.mjs';
import { folderSize } from './rules/folder-size.mjs';
import { outgoingConnections } from './rules/outgoing-connections.mjs';
import { ownModulesReal } from './rules/own-modules-real.mjs';
import { storeVerbs } from './rules/store-verbs.mjs';
import { vendorImports } from './rules/vendor-imports.mjs';
import { wholeSuite } from './rules/whole-suite.mjs';

/** The rules of this house that no published plugin has. Each one's file says where the rule comes from. */
export const parleyPlugin = {
  meta: { name: 'parley' },
  rules: {
    'dialects-apart': dialectsApart,
    'documented-door': documentedDoor,
    'env-in-config': envInConfig,
    'file-names': fileNames,
    'folder-size': folderSize,
    'outgoing-connections': outgoingConnections,
    'own-modules-real': ownModulesReal,
    'store-verbs': storeVerbs,
    'vendor-imports': vendorImports,
    'whole-suite': wholeSuite,
  },
};
