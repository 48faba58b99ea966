/**
 * `npm run dev:cluster`: every app as a process of its own, with Postgres, NATS and Redis: those that the environment
 * names, else own ones on private ports. Installs and builds what is missing, then becomes the launcher.
 */
import './node-version.mjs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { installServers } from './install/debian-packages.mjs';
import { installPackages } from './install/npm-packages.mjs';
import { root } from './processes.mjs';
import { buildWhereStale } from './standalone-build.mjs';

process.chdir(root);
if (!(await installPackages())) {
  console.error('npm could not install the packages: see above.');
  process.exit(1);
}
const { NATS_SERVER, REDIS_SERVER } = process.env;
const obstacle = NATS_SERVER && REDIS_SERVER ? undefined : await installServers(['nats-server', 'redis-server']);
if (obstacle) {
  console.error(obstacle);
  process.exit(1);
}
if (!(await buildWhereStale())) {
  console.error('The build failed: see above.');
  process.exit(1);
}
process.setSourceMapsEnabled(true);
await import(pathToFileURL(join(root, 'apps/cluster/dist/main.js')).href);
