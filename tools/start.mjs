/**
 * `npm start`: Parley from a fresh clone. Installs and builds what is missing or out of date, then becomes the
 * standalone app: same process, so its signals, its output and its exit code need no middleman.
 */
import './node-version.mjs';
import { pathToFileURL } from 'node:url';
import { installPackages } from './install/npm-packages.mjs';
import { root } from './processes.mjs';
import { buildWhereStale, standaloneMain } from './standalone-build.mjs';

process.chdir(root);
if (!(await installPackages())) {
  console.error('npm could not install the packages: see above.');
  process.exit(1);
}
if (!(await buildWhereStale())) {
  console.error('The build failed: see above.');
  process.exit(1);
}
process.setSourceMapsEnabled(true);
await import(pathToFileURL(standaloneMain).href);
