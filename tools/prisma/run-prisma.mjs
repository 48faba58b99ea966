import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../processes.mjs';

const environment = {
  PRISMA_SCHEMA_ENGINE_BINARY: join(root, 'tools/schema-engine.mjs'),
  // No call home.
  CHECKPOINT_DISABLE: '1',
  PRISMA_HIDE_UPDATE_MESSAGE: '1',
};

/**
 * Runs Prisma's CLI on our engine. Resolves to its exit code and all that it printed.
 * @param {readonly string[]} args
 * @param {{ databaseUrl?: string }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runPrisma(args, { databaseUrl } = {}) {
  const env = { ...process.env, ...environment, ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}) };
  return new Promise((resolve) => {
    execFile(join(root, 'node_modules/.bin/prisma'), args, { cwd: root, env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) || 1 : 0, output: `${stderr}${stdout}`.trim() });
    });
  });
}
