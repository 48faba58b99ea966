import type { PlantedFile } from '../linted-workspace.js';
import type { PlantedCase } from './planted-case.js';

const value = `export const value = 1;\n`;
const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n') + '\n';
const constants = (count: number): string => lines(count, (at) => `export const value${at} = ${at};`);
const statements = (count: number): string =>
  `export function fill(into: number[]): void {\n${lines(count, (at) => `  into.push(${at});`)}}\n`;
const folderOf = (count: number, folder: string): PlantedFile[] =>
  Array.from({ length: count }, (_, at) => ({
    path: `${folder}/part-${String(at + 1).padStart(2, '0')}.ts`,
    text: value,
  }));

const names: PlantedCase[] = [
  {
    rule: 'parley/file-names',
    that: 'a file that is not kebab-case',
    says: /"startRun" is not kebab-case/,
    path: 'apps/session/src/planted/startRun.ts',
    text: value,
  },
  {
    rule: 'parley/file-names',
    that: 'a folder that is not kebab-case',
    says: /"Runs" is not kebab-case/,
    path: 'apps/session/src/planted/Runs/start-run.ts',
    text: value,
  },
  {
    rule: 'parley/file-names',
    that: 'a file named utils',
    says: /"utils" in "string-utils" names nothing/,
    path: 'libs/core/src/planted/string-utils.ts',
    text: value,
  },
  {
    rule: 'parley/file-names',
    that: 'a folder named common',
    says: /"common" in "common" names nothing/,
    path: 'libs/core/src/common/text.ts',
    text: value,
  },
  {
    rule: 'parley/file-names',
    that: 'a file named after a Dto',
    says: /"dto" in "dto" names nothing/,
    path: 'apps/gateway/src/planted/run.dto.ts',
    text: value,
  },
  {
    rule: 'parley/file-names',
    that: 'a second barrel',
    says: /one barrel of a project/,
    path: 'libs/core/src/planted/index.ts',
    text: value,
  },
  {
    rule: 'parley/file-names',
    that: 'export * below the barrel',
    says: /one barrel of a project/,
    path: 'libs/core/src/planted/all-of-it.ts',
    text: `export * from './some-of-it.js';\n`,
    beside: [{ path: 'libs/core/src/planted/some-of-it.ts', text: value }],
  },
  {
    rule: 'parley/file-names',
    that: 'a file not named after its class',
    says: /This file holds StartRun/,
    path: 'apps/session/src/planted/begin.ts',
    text: `export class StartRun {}\n`,
  },
  {
    rule: 'parley/file-names',
    that: 'words in another order',
    path: 'apps/session/src/planted/runs.module.ts',
    text: `export class RunsModule {}\n`,
  },
  { rule: 'parley/file-names', that: 'a store', path: 'libs/persistence/src/planted/run.store.prisma.ts', text: value },
];

const budgets: PlantedCase[] = [
  {
    rule: 'parley/folder-size',
    that: 'a folder of 13 files',
    says: /holds 13 files, 12 are allowed/,
    path: 'libs/core/src/planted/thirteen/part-00.ts',
    text: value,
    beside: folderOf(12, 'libs/core/src/planted/thirteen'),
  },
  {
    rule: 'parley/folder-size',
    that: 'a folder of 12 files and a spec',
    path: 'libs/core/src/planted/twelve/part-00.ts',
    text: value,
    beside: [
      ...folderOf(11, 'libs/core/src/planted/twelve'),
      { path: 'libs/core/src/planted/twelve/part-01.spec.ts', text: value },
    ],
  },
  {
    rule: 'max-lines',
    that: 'a file of 301 lines',
    says: /too many lines \(301\)/,
    path: 'libs/core/src/planted/budget/long-file.ts',
    text: constants(301),
  },
  {
    rule: 'max-lines',
    that: 'a spec of 601 lines',
    says: /too many lines \(601\)/,
    path: 'libs/core/src/planted/budget/long-spec.spec.ts',
    text: constants(601),
  },
  {
    rule: 'max-lines',
    that: '300 lines and comments',
    path: 'libs/core/src/planted/budget/full-file.ts',
    text: `// why\n\n${constants(300)}`,
  },
  {
    rule: 'max-lines-per-function',
    that: 'a function of 41 lines',
    says: /too many lines \(41\)/,
    path: 'libs/core/src/planted/budget/long-function.ts',
    text: statements(39),
  },
  {
    rule: 'max-lines-per-function',
    that: 'a function of 40 lines',
    path: 'libs/core/src/planted/budget/full-function.ts',
    text: statements(38),
  },
];

const door: PlantedCase[] = [
  {
    rule: 'parley/documented-door',
    that: 'a public name without a docstring',
    says: /"bare" is public and has no docstring/,
    path: 'libs/engine/src/index.ts',
    text: `export { bare } from './planted/door/bare.js';\n/** What engine is for. */\nexport const engine = 'engine';\n`,
    beside: [{ path: 'libs/engine/src/planted/door/bare.ts', text: `export const bare = 1;\n` }],
  },
  {
    rule: 'parley/documented-door',
    that: 'public names with docstrings, and inner names without',
    path: 'libs/testing/src/index.ts',
    text: `export { told } from './planted/door/told.js';\n/** What testing is for. */\nexport const testing = 'testing';\n`,
    beside: [
      {
        path: 'libs/testing/src/planted/door/told.ts',
        text: `/** Milliseconds. */\nexport const told = 1;\nexport const inner = 2;\n`,
      },
    ],
  },
  {
    rule: 'import-x/no-default-export',
    that: 'a default export',
    says: /Prefer named exports/,
    path: 'apps/session/src/planted/start-run.ts',
    text: `export default class StartRun {}\n`,
  },
  {
    rule: 'import-x/no-default-export',
    that: 'a named export',
    path: 'apps/session/src/planted/cancel-run.ts',
    text: `export class CancelRun {}\n`,
  },
];

/** How files are named, how large they may grow, and what a project shows of itself. */
export const layout: PlantedCase[] = [...names, ...budgets, ...door];
