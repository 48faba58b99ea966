import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../processes.mjs';

/**
 * Installs what package-lock.json lists where node_modules does not hold exactly that. Packages' own install scripts
 * do not run: none is needed. Resolves to whether node_modules is right now.
 */
export async function installPackages() {
  if (packagesAreInstalled()) return true;
  console.log('Installing npm packages (once, about a minute) …');
  return (await run(['npm', 'ci', '--ignore-scripts', '--loglevel=error'])) === 0;
}

/** npm writes down what it installed, last of all: an install that was cut short or is out of date is told by that. */
export function packagesAreInstalled() {
  const wanted = lockedPackages('package-lock.json');
  const installed = lockedPackages('node_modules/.package-lock.json');
  return Object.entries(wanted).every(
    ([path, { integrity, optional, link }]) =>
      !path.includes('node_modules/') || link || optional || installed[path]?.integrity === integrity,
  );
}

/** @returns {Record<string, { integrity?: string, optional?: boolean, link?: boolean }>} */
function lockedPackages(/** @type {string} */ file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return {};
  }
}
