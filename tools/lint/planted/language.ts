import type { PlantedCase } from './planted-case.js';

interface Sample {
  rule: string;
  that: string;
  says?: RegExp;
  text: string;
  file?: string;
}

/** Each sample is a file of its own in a small project. */
const inOwnFile = ({ file, ...sample }: Sample, at: number): PlantedCase => ({
  ...sample,
  path: `libs/core/src/planted/language/${Math.floor(at / 12)}/${file ?? `sample-${at}.ts`}`,
});

const typeSamples: Sample[] = [
  {
    rule: '@typescript-eslint/no-explicit-any',
    that: 'any',
    says: /Unexpected any/,
    text: `export type Loose = Record<string, any>;\n`,
  },
  {
    rule: '@typescript-eslint/no-explicit-any',
    that: 'unknown',
    text: `export type Open = Record<string, unknown>;\n`,
  },
  {
    rule: '@typescript-eslint/no-non-null-assertion',
    that: 'an exclamation mark',
    says: /non-null assertion/,
    text: `export const first = (all: string[]): string => all[0]!;\n`,
  },
  {
    rule: '@typescript-eslint/no-non-null-assertion',
    that: 'a default',
    text: `export const first = (all: string[]): string => all[0] ?? '';\n`,
  },
  {
    rule: '@typescript-eslint/switch-exhaustiveness-check',
    that: 'a switch with a missing case',
    says: /not matched: "ended"/,
    text: `export function say(state: 'running' | 'ended'): string {\n  switch (state) {\n    case 'running':\n      return 'runs';\n  }\n  return '';\n}\n`,
  },
  {
    rule: '@typescript-eslint/switch-exhaustiveness-check',
    that: 'a switch with every case',
    text: `export function say(state: 'running' | 'ended'): string {\n  switch (state) {\n    case 'running':\n      return 'runs';\n    case 'ended':\n      return 'over';\n  }\n}\n`,
  },
  {
    rule: '@typescript-eslint/consistent-type-imports',
    that: 'a type imported as a value',
    says: /only used as types/,
    text: `import { PlatformPath } from 'node:path';\nexport type Path = PlatformPath;\n`,
    file: 'value-import.spec.ts',
  },
  {
    rule: '@typescript-eslint/consistent-type-imports',
    that: 'a type imported as a type',
    text: `import type { PlatformPath } from 'node:path';\nexport type Path = PlatformPath;\n`,
    file: 'type-import.spec.ts',
  },
  {
    rule: '@typescript-eslint/naming-convention',
    that: 'an interface named with an I',
    says: /IStore/,
    text: `export interface IStore {\n  size: number;\n}\n`,
  },
  {
    rule: '@typescript-eslint/naming-convention',
    that: 'a class named Impl',
    says: /StoreImpl/,
    text: `export class StoreImpl {\n  readonly size = 0;\n}\n`,
  },
  {
    rule: '@typescript-eslint/naming-convention',
    that: 'Id, Input and Interrupt',
    text: `export interface Interrupt {\n  size: number;\n}\nexport type Id = string;\nexport type Input = string;\n`,
  },
  {
    rule: '@typescript-eslint/no-unused-vars',
    that: 'a name nobody uses',
    says: /never used/,
    text: `const idle = 1;\nexport const busy = 2;\n`,
  },
  {
    rule: '@typescript-eslint/no-unused-vars',
    that: 'a parameter left out on purpose',
    text: `export const second = (_first: string, next: string): string => next;\n`,
  },
  {
    rule: '@typescript-eslint/restrict-template-expressions',
    that: 'an object in a template',
    says: /Invalid type/,
    text: `export const say = (one: { id: string }): string => \`\${one}\`;\n`,
  },
  {
    rule: '@typescript-eslint/restrict-template-expressions',
    that: 'a number in a template',
    text: `export const say = (one: number): string => \`\${one}\`;\n`,
  },
  {
    rule: '@typescript-eslint/no-deprecated',
    that: 'a deprecated name',
    says: /deprecated/,
    text: `/** @deprecated since today */\nconst old = 1;\nexport const now = old;\n`,
  },
  {
    rule: '@typescript-eslint/no-deprecated',
    that: 'a living name',
    text: `const young = 1;\nexport const now = young;\n`,
  },
  {
    rule: '@typescript-eslint/prefer-readonly',
    that: 'a private member that never changes',
    says: /never reassigned/,
    text: `export class Gauge {\n  private top = 1;\n  read(): number {\n    return this.top;\n  }\n}\n`,
  },
  {
    rule: '@typescript-eslint/prefer-readonly',
    that: 'a private member that changes',
    text: `export class Gauge {\n  private top = 1;\n  rise(): number {\n    return ++this.top;\n  }\n}\n`,
    file: 'gauge.ts',
  },
];

const promiseSamples: Sample[] = [
  {
    rule: '@typescript-eslint/no-floating-promises',
    that: 'a promise nobody waits for',
    says: /Promises must be awaited/,
    text: `export function start(work: () => Promise<void>): void {\n  work();\n}\n`,
  },
  {
    rule: '@typescript-eslint/no-floating-promises',
    that: 'a promise that is awaited',
    text: `export async function start(work: () => Promise<void>): Promise<void> {\n  await work();\n}\n`,
  },
  {
    rule: '@typescript-eslint/return-await',
    that: 'a promise returned out of try',
    says: /Returning an awaited promise is required/,
    text: `export async function start(work: () => Promise<string>): Promise<string> {\n  try {\n    return work();\n  } catch {\n    return 'failed';\n  }\n}\n`,
  },
  {
    rule: '@typescript-eslint/return-await',
    that: 'a promise awaited inside try',
    text: `export async function start(work: () => Promise<string>): Promise<string> {\n  try {\n    return await work();\n  } catch {\n    return 'failed';\n  }\n}\n`,
  },
];

const syntaxSamples: Sample[] = [
  {
    rule: 'no-restricted-syntax',
    that: 'as unknown as',
    says: /lies to the compiler/,
    text: `export const id = (text: string): number => text as unknown as number;\n`,
  },
  {
    rule: 'no-restricted-syntax',
    that: 'a function of 5 parameters',
    says: /At most 4 parameters/,
    text: `export const sum = (a: number, b: number, c: number, d: number, e: number): number => a + b + c + d + e;\n`,
  },
  {
    rule: 'no-restricted-syntax',
    that: 'a method of 5 parameters',
    says: /At most 4 parameters/,
    text: `export class Sum {\n  of(a: number, b: number, c: number, d: number, e: number): number {\n    return a + b + c + d + e;\n  }\n}\n`,
  },
  {
    rule: 'no-restricted-syntax',
    that: 'a constructor of 6 dependencies',
    says: /At most 5 dependencies/,
    text: `export class Busy {\n  constructor(\n    readonly a: string,\n    readonly b: string,\n    readonly c: string,\n    readonly d: string,\n    readonly e: string,\n    readonly f: string,\n  ) {}\n}\n`,
  },
  {
    rule: 'no-restricted-syntax',
    that: 'a constructor of 5 dependencies and a function of 4 parameters',
    text: `export class Calm {\n  constructor(\n    readonly a: string,\n    readonly b: string,\n    readonly c: string,\n    readonly d: string,\n    readonly e: string,\n  ) {}\n}\nexport const sum = (a: number, b: number, c: number, d: number): number => a + b + c + d;\n`,
  },
  {
    rule: 'eqeqeq',
    that: '==',
    says: /Expected '==='/,
    text: `export const same = (a: string, b: string): boolean => a == b;\n`,
  },
  { rule: 'eqeqeq', that: '===', text: `export const same = (a: string, b: string): boolean => a === b;\n` },
  {
    rule: 'no-console',
    that: 'console',
    says: /Unexpected console/,
    text: `console.log('here');\nexport const here = 1;\n`,
  },
  {
    rule: 'no-console',
    that: 'a line written on purpose',
    text: `export const say = (line: string): boolean => process.stdout.write(line);\n`,
  },
  {
    rule: 'object-shorthand',
    that: 'a name said twice',
    says: /property shorthand/,
    text: `export const box = (size: number): { size: number } => ({ size: size });\n`,
  },
  {
    rule: 'object-shorthand',
    that: 'a name said once',
    text: `export const box = (size: number): { size: number } => ({ size });\n`,
  },
  {
    rule: 'prefer-const',
    that: 'let that never changes',
    says: /never reassigned/,
    text: `export function one(): number {\n  let one = 1;\n  return one;\n}\n`,
  },
  {
    rule: 'prefer-const',
    that: 'const',
    text: `export function one(): number {\n  const one = 1;\n  return one;\n}\n`,
  },
  {
    rule: 'no-warning-comments',
    that: 'work left for later',
    says: /Unexpected 'todo' comment/,
    text: `// TODO finish\nexport const half = 1;\n`,
  },
  {
    rule: 'no-warning-comments',
    that: 'a comment that says why',
    text: `// 2 would be too many\nexport const half = 1;\n`,
  },
];

const suite = (call: string): string =>
  `import { describe, expect, it } from '@jest/globals';\ndescribe('one', () => {\n  it('is one', () => {\n    expect(1).toBe(1);\n  });\n});\n${call}\n`;

const specSamples: Sample[] = [
  { call: `it.only('runs alone', () => undefined);`, name: 'it.only' },
  { call: `describe.skip('left out', () => undefined);`, name: 'describe.skip' },
  { call: `it.skip.each([1])('left out', () => undefined);`, name: 'it.skip' },
  { call: `it.todo('comes later');`, name: 'it.todo' },
].map(({ call, name }, at) => ({
  rule: 'parley/whole-suite',
  that: name,
  says: new RegExp(`"${name}" leaves tests out`),
  text: suite(call),
  file: `partial-${at}.spec.ts`,
}));

const mockSamples: Sample[] = [
  { rule: 'parley/whole-suite', that: 'a plain suite', text: suite(''), file: 'whole.spec.ts' },
  {
    rule: 'parley/own-modules-real',
    that: 'a mock of a file of ours',
    says: /"\.\/sample-0\.js" is never mocked/,
    text: `import { jest } from '@jest/globals';\njest.unstable_mockModule('./sample-0.js', () => ({}));\n`,
    file: 'own-file.spec.ts',
  },
  {
    rule: 'parley/own-modules-real',
    that: 'a mock of a library of ours',
    says: /"@parley\/core" is never mocked/,
    text: `import { jest } from '@jest/globals';\njest.mock('@parley/core');\n`,
    file: 'own-library.spec.ts',
  },
  {
    rule: 'parley/own-modules-real',
    that: 'fake timers and a function that counts its calls',
    text: `import { jest } from '@jest/globals';\njest.useFakeTimers();\nexport const heard = jest.fn();\n`,
    file: 'timers.spec.ts',
  },
];

const silenced: Sample[] = [
  {
    rule: 'eqeqeq',
    that: '== under an eslint-disable comment',
    says: /Expected '==='/,
    text: `export const same = (a: string, b: string): boolean =>\n  // eslint-disable-next-line eqeqeq\n  a == b;\n`,
  },
];

/** What the code itself may and may not say. */
export const language: PlantedCase[] = [
  ...typeSamples,
  ...promiseSamples,
  ...syntaxSamples,
  ...specSamples,
  ...mockSamples,
  ...silenced,
].map(inOwnFile);
