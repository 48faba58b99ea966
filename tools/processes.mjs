import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the workspace: every tool runs from there, wherever it was called. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const bin = join(root, 'node_modules', '.bin');

/**
 * Runs a program (one of node_modules/.bin before one of the system) with our own input and output.
 * Resolves to its exit code, 1 when a signal ended it, 127 when there is no such program.
 * @param {readonly [string, ...string[]]} command
 * @param {Record<string, string>} [env] added to our own
 * @returns {Promise<number>}
 */
export function run([program, ...args], env = {}) {
  const child = spawn(program, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, ...env },
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** Jest loads the specs as native ES modules, which Node 20 calls experimental. */
export const jestEnv = { NODE_OPTIONS: '--experimental-vm-modules --no-warnings' };
