/**
 * Jest's global setup: starts the servers that integration specs need, if the run has any. Plain JavaScript, because
 * Jest loads it without its transform.
 */
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const repository = new URL('../../../../', import.meta.url);

/** @type {(globalConfig: import('@jest/types').Config.GlobalConfig) => Promise<void>} */
export default async function globalSetup(globalConfig) {
  if (!(await selectsIntegrationSpecs(globalConfig))) return;
  await import(new URL('tools/typescript.mjs', repository).href);
  const { startTestServers } = await import('./test-servers.js');
  await startTestServers();
}

/** @param {import('@jest/types').Config.GlobalConfig} config */
async function selectsIntegrationSpecs({ testPathPatterns, rootDir, runTestsByPath, nonFlagArgs }) {
  if (runTestsByPath) return nonFlagArgs.some(isIntegrationSpec);
  const folder = fileURLToPath(repository);
  const sources = await Promise.all(
    ['apps', 'libs', 'bench', 'tools'].map(async (name) => {
      const files = await readdir(`${folder}${name}`, { recursive: true });
      return files.map((file) => `${folder}${name}/${file}`);
    }),
  );
  const selection = testPathPatterns.toExecutor({ rootDir });
  return sources.flat().some((file) => isIntegrationSpec(file) && selection.isMatch(file));
}

/** @param {string} path */
function isIntegrationSpec(path) {
  return path.endsWith('.integration.spec.ts');
}
