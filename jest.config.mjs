/**
 * One Jest for the workspace. Specs run as native ES modules (NODE_OPTIONS=--experimental-vm-modules, set by
 * the scripts in tools/), straight from the sources: workspace imports resolve through the `@parley/source` condition.
 * `*.spec.ts` needs nothing outside the process; `*.integration.spec.ts` needs the servers that global setup starts.
 */
export default {
  testEnvironment: 'node',
  globalSetup: '<rootDir>/libs/testing/src/servers/global-setup.mjs',
  globalTeardown: '<rootDir>/libs/testing/src/servers/global-teardown.mjs',
  testMatch: ['<rootDir>/{apps,libs,bench,tools}/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironmentOptions: { customExportConditions: ['@parley/source', 'node', 'node-addons'] },
  testTimeout: 30_000,
  // One fewer than the cores is Jest's default; half of our time is spent waiting for servers.
  maxWorkers: 2,
};
