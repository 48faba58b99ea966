import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './processes.mjs';

/** What `npm start` runs. */
export const standaloneMain = join(root, 'apps/standalone/dist/main.js');

/** Holds the fingerprint of the sources that the build beside it was made from. */
const stamp = join(root, 'apps/standalone/dist/built-from');

const notSources = new Set(['node_modules', 'dist', 'generated', 'migrations']);

/** Builds the workspace where it is not already built from today's sources. Resolves to whether it is built now. */
export async function buildWhereStale() {
  const sources = fingerprint();
  if (isBuiltFrom(sources)) return true;
  console.log('Building …');
  if ((await run(['npm', 'run', '--silent', 'build'])) !== 0) return false;
  writeFileSync(stamp, sources); // taken before the build: an edit meanwhile means another build
  return true;
}

/** Some 20 ms, where `tsc -b` needs a second to see that nothing changed. */
function isBuiltFrom(/** @type {string} */ sources) {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const outputs = references.map(({ path }) => join(root, path, 'dist/tsconfig.tsbuildinfo'));
  return [standaloneMain, stamp, ...outputs].every(existsSync) && readFileSync(stamp, 'utf8') === sources;
}

/** The names, sizes and times of everything that the build reads. */
function fingerprint() {
  const hash = createHash('sha256');
  const files = ['package-lock.json', 'tsconfig.base.json', ...['apps', 'libs', 'bench', 'prisma'].flatMap(sourcesIn)];
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** @returns {string[]} */
function sourcesIn(/** @type {string} */ folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !notSources.has(name) && !/\.(spec|contract)\.ts$/.test(name))
    .flatMap((entry) => (entry.isDirectory() ? sourcesIn(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]));
}
