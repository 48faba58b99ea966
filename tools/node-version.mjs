/**
 * Imported first by the tools that a newcomer runs: an old Node gets one clear message instead of a syntax error.
 * Keep to what Node 14 can read.
 */
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const least = engines.node.replace('>=', '').split('.').map(Number);
const ours = process.versions.node.split('.').map(Number);

if (ours[0] < least[0] || (ours[0] === least[0] && ours[1] < least[1])) {
  console.error(`Parley needs Node ${least.join('.')} or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
