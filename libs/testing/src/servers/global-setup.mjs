/**
 * Jest's global setup: starts the servers that integration specs need, if the run has any. Plain JavaScript, because
 * Jest loads it without its transform.
 */
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const repository = new URL('../../../../', import.meta.url);

/** @type {(global: import('@jest/types').Config.GlobalConfig, project: import('@jest/types').Config.ProjectConfig) => Promise<void>} */
export default async function globalSetup(global, project) {
  const specs = await integrationSpecs();
  const ignored = new RegExp(project.testPathIgnorePatterns.join('|'));
  if (!specs.some((path) => isSelected(path, global) && !ignored.test(path))) return;
  await import(new URL('tools/typescript.mjs', repository).href);
  const { startTestServers } = await import('./test-servers.js');
  await startTestServers();
}

/** The absolute path of every integration spec. */
async function integrationSpecs() {
  const folder = fileURLToPath(repository);
  const paths = await Promise.all(
    ['apps', 'libs', 'bench', 'tools'].map(async (name) => {
      const files = await readdir(`${folder}${name}`, { recursive: true });
      return files.filter((file) => file.endsWith('.integration.spec.ts')).map((file) => `${folder}${name}/${file}`);
    }),
  );
  return paths.flat();
}

/**
 * Whether the command line names that spec.
 * @param {string} path
 * @param {import('@jest/types').Config.GlobalConfig} config
 */
function isSelected(path, { runTestsByPath, nonFlagArgs, testPathPatterns, rootDir }) {
  if (runTestsByPath) return nonFlagArgs.some((name) => path.endsWith(name));
  return testPathPatterns.toExecutor({ rootDir }).isMatch(path);
}
