import type { PlantedFile } from '../linted-workspace.js';
import type { PlantedCase } from './planted-case.js';

const boundaries = '@nx/enforce-module-boundaries';

/** One import of another project, by a source file or by a spec. */
function imports(from: string, what: string, file = `src/planted/use-${what}.ts`): Pick<PlantedCase, 'path' | 'text'> {
  const name = what.replaceAll('-', '_');
  return {
    path: `${from}/${file}`,
    text: `import { ${name} } from '@parley/${what}';\nexport const used = ${name};\n`,
  };
}

const stopped = (from: string, what: string, says: RegExp): PlantedCase => ({
  rule: boundaries,
  that: `${from} importing ${what}`,
  says,
  ...imports(from, what),
});

const passed = (from: string, what: string, file?: string): PlantedCase => ({
  rule: boundaries,
  that: `${file ?? from} importing ${what}`,
  ...imports(from, what, file),
});

const byTag = /can only depend on libs tagged with|cannot depend on any libs/;
const tags: PlantedCase[] = [
  stopped('libs/core', 'contracts', byTag),
  stopped('libs/core', 'host', byTag),
  stopped('libs/contracts', 'engine', byTag),
  stopped('libs/contracts', 'messaging', byTag),
  stopped('libs/engine', 'contracts', byTag),
  stopped('libs/engine', 'persistence', byTag),
  stopped('libs/host', 'messaging', byTag),
  stopped('libs/messaging', 'persistence', byTag),
  stopped('libs/persistence', 'messaging', byTag),
  stopped('libs/effects', 'persistence', byTag),
  stopped('libs/outbound', 'effects', byTag),
  stopped('libs/outbound', 'host', byTag),
  stopped('libs/messaging', 'gateway', byTag),
  stopped('libs/testing', 'effects', byTag),
  stopped('apps/gateway', 'session', byTag),
  stopped('apps/session', 'standalone', byTag),
  stopped('apps/session', 'testing', byTag),
  stopped('libs/persistence', 'testing', byTag),
  stopped('apps/platform-e2e', 'core', byTag),
  stopped('apps/platform-e2e', 'gateway', byTag),
  stopped('apps/gateway', 'bench', /unresolvable dependencies are not allowed/), // it has no door at all
  passed('libs/engine', 'core'),
  passed('libs/contracts', 'core'),
  passed('libs/effects', 'outbound'),
  passed('libs/messaging', 'contracts'),
  passed('apps/session', 'persistence'),
  passed('apps/run-executor', 'engine'),
  passed('apps/standalone', 'gateway'),
  passed('apps/platform-e2e', 'testing'),
  passed('bench', 'gateway'),
  passed('apps/session', 'testing', 'src/planted/use-testing.spec.ts'),
  passed('libs/persistence', 'testing', 'src/planted/run-log.contract.ts'),
];

const ways: PlantedCase[] = [
  {
    rule: boundaries,
    that: 'a relative path into another project',
    says: /cannot be imported by a relative or absolute path/,
    path: 'apps/session/src/planted/reach-over.ts',
    text: `export { core } from '../../../../libs/core/src/index.js';\n`,
  },
  {
    rule: boundaries,
    that: 'a project that imports itself through its door',
    says: /should use relative imports/,
    path: 'libs/messaging/src/planted/around.ts',
    text: `export { messaging } from '@parley/messaging';\n`,
  },
  {
    rule: boundaries,
    that: 'a package that the project does not list',
    says: /Only packages defined in the "package.json" can be imported/,
    path: 'libs/host/src/planted/unlisted.ts',
    text: `export { default as fastify } from 'fastify';\n`,
  },
  {
    rule: 'import-x/no-cycle',
    that: 'two files that import each other',
    says: /Dependency cycle/,
    path: 'libs/core/src/planted/circle/one.ts',
    text: `import { two } from './two.js';\nexport const one = (): number => two() + 1;\n`,
    beside: [
      {
        path: 'libs/core/src/planted/circle/two.ts',
        text: `import { one } from './one.js';\nexport const two = (): number => one() - 1;\n`,
      },
    ],
  },
  {
    rule: 'import-x/no-cycle',
    that: 'a circle through the barrel',
    says: /Dependency cycle/,
    path: 'libs/outbound/src/planted/through-barrel.ts',
    text: `import { outbound } from '../index.js';\nexport const through = outbound;\n`,
    beside: [
      {
        path: 'libs/outbound/src/index.ts',
        text: `export { through } from './planted/through-barrel.js';\n/** What outbound is for. */\nexport const outbound = 'outbound';\n`,
      },
    ],
  },
  {
    rule: 'import-x/no-cycle',
    that: 'a circle of types only',
    path: 'libs/core/src/planted/types/one.ts',
    text: `import type { Two } from './two.js';\nexport interface One {\n  two?: Two;\n}\n`,
    beside: [
      {
        path: 'libs/core/src/planted/types/two.ts',
        text: `import type { One } from './one.js';\nexport interface Two {\n  one?: One;\n}\n`,
      },
    ],
  },
];

const dialects = 'apps/gateway/src/dialects';
const neighbours: PlantedCase[] = [
  {
    rule: 'parley/dialects-apart',
    that: 'a dialect importing its neighbour',
    says: /"acp" imports its neighbour "letta"/,
    path: `${dialects}/acp/threads/map.ts`,
    text: `export { pageSize } from '../../letta/paging.js';\n`,
    beside: [{ path: `${dialects}/letta/paging.ts`, text: `export const pageSize = 50;\n` }],
  },
  {
    rule: 'parley/dialects-apart',
    that: 'a dialect importing its own files and the door it stands behind',
    path: `${dialects}/letta/agents/map.ts`,
    text: `export { pageSize } from '../paging.js';\nexport { limit } from '../../../http/limits.js';\n`,
    beside: [{ path: 'apps/gateway/src/http/limits.ts', text: `export const limit = 1;\n` }],
  },
];

const env: PlantedCase[] = [
  {
    rule: 'parley/env-in-config',
    that: 'process.env outside of config.ts',
    says: /Only config\.ts reads the environment/,
    path: 'apps/session/src/planted/port.ts',
    text: `export const port = process.env['PORT'];\n`,
  },
  {
    rule: 'parley/env-in-config',
    that: 'the environment taken apart',
    says: /Only config\.ts reads the environment/,
    path: 'libs/host/src/planted/home.ts',
    text: `const { env } = process;\nexport const home = env['HOME'];\n`,
  },
  {
    rule: 'parley/env-in-config',
    that: 'the environment by import',
    says: /Only config\.ts reads the environment/,
    path: 'libs/host/src/planted/lang.ts',
    text: `import { env } from 'node:process';\nexport const lang = env['LANG'];\n`,
  },
  {
    rule: 'parley/env-in-config',
    that: 'process.env in config.ts',
    path: 'apps/session/src/config.ts',
    text: `export const port = process.env['PORT'];\n`,
  },
];

const runLog: PlantedFile = {
  path: 'libs/persistence/src/index.ts',
  text: [
    `/** A store. */`,
    `export abstract class RunLog {`,
    `  abstract admit(): void;`,
    `  abstract claim(): void;`,
    `  abstract close(): void;`,
    `}`,
    `/** Not in the table. */`,
    `export abstract class NoteStore {`,
    `  abstract find(): void;`,
    `}`,
    `/** What persistence is for. */`,
    `export const persistence = 'persistence';`,
    ``,
  ].join('\n'),
};

const verb = (app: string, call: string, says?: RegExp): PlantedCase => ({
  rule: 'parley/store-verbs',
  that: `${call} in ${app}`,
  ...(says && { says }),
  path: `apps/${app}/src/planted/verbs/${call.split('.').join('-').toLowerCase()}.ts`,
  text: `import type { ${call.split('.')[0] ?? ''} as Store } from '@parley/persistence';\nexport const act = (store: Pick<Store, '${call.split('.')[1] ?? ''}'>): void => {\n  store.${call.split('.')[1] ?? ''}();\n};\n`,
  beside: [runLog],
});

const verbs: PlantedCase[] = [
  verb('session', 'RunLog.claim', /session may not use RunLog.claim/),
  verb('run-executor', 'RunLog.admit', /run-executor may not use RunLog.admit/),
  verb('agent-registry', 'RunLog.admit', /agent-registry may not use RunLog.admit/),
  verb('session', 'NoteStore.find', /session may not use NoteStore.find/),
  verb('session', 'RunLog.admit'),
  verb('run-executor', 'RunLog.claim'),
  verb('agent-registry', 'RunLog.close'),
];

/** Who may import whom, who may use which verb of a store, and who may read the environment. */
export const direction: PlantedCase[] = [...tags, ...ways, ...neighbours, ...env, ...verbs];
