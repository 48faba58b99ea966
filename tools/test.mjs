/**
 * `npm test`: all specs, on a machine that has Node and nothing else. Brings the packages and servers that are
 * missing, builds, and runs Jest, whose global setup starts servers on free ports in temporary folders and stops them.
 * Further arguments go to Jest. The last line is `N passed, N failed`.
 */
import './node-version.mjs';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installServers } from './install/debian-packages.mjs';
import { installPackages } from './install/npm-packages.mjs';
import { jestEnvironment, run } from './processes.mjs';

async function main() {
  if (!(await installPackages())) return failure('npm could not install the packages.');
  const obstacle = await installServers();
  if (obstacle) return failure(obstacle);
  console.log('Building …');
  if ((await run(['npm', 'run', '--silent', 'build'])) !== 0) return failure('The build failed.');
  return runJest(process.argv.slice(2));
}

/** @param {readonly string[]} extra */
async function runJest(extra) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-report-'));
  const report = join(folder, 'report.json');
  try {
    const code = await run(['jest', '--json', `--outputFile=${report}`, ...extra], jestEnvironment);
    return count(JSON.parse(readFileSync(report, 'utf8')), code);
  } catch {
    return failure('Jest left no report: it ended before the tests did.');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A suite that could not run is one failure; so is whatever else made Jest unhappy, and a run without a test. */
function count({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites }, /** @type {number} */ code) {
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  if (failed === 0 && numPassedTests === 0) return failure('No test ran.');
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

function failure(/** @type {string} */ reason) {
  console.error(`\n${reason}`);
  return { passed: 0, failed: 1 };
}

const { passed, failed } = await main();
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
