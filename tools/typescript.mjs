/**
 * Lets plain node run the workspace's TypeScript sources: `node --import ./tools/typescript.mjs some-file.ts`, or
 * `await import('./tools/typescript.mjs')` before importing one. Development and tests only; what ships is built by tsc.
 * The output must behave as tsc's, so the transform keeps decorator metadata (esbuild-based runners drop it).
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const SOURCE_CONDITION = '@parley/source';

// Node loads this same file again in its hooks thread, where only the two exported functions matter.
if (isMainThread) register(import.meta.url);

/** Workspace packages resolve to their sources, and `./x.js` to `./x.ts` where that is what exists. */
export function resolve(specifier, context, nextResolve) {
  const conditions = [...context.conditions, SOURCE_CONDITION];
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return nextResolve(source.href, { ...context, conditions });
  }
  return nextResolve(specifier, { ...context, conditions });
}

export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const { transform } = await import('@swc/core');
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    filename,
    swcrc: false,
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}
