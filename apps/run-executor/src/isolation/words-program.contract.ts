import { type IsolatedProgram } from './isolated-program.js';

/** A program whose model takes words as `fatalWords` does. @param pids a file where each process puts its id. */
export const wordsProgram = (pids: string | null = null): IsolatedProgram => ({
  entry: new URL('./isolated-words.contract.ts', import.meta.url),
  settings: pids,
  flags: ['--import', new URL('../../../../tools/typescript.mjs', import.meta.url).href],
});
