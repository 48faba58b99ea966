import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the workspace: every tool works there, wherever it was called. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Node's flags for Jest: specs are native ES modules, which Node 20 calls experimental. */
export const jestEnvironment = { NODE_OPTIONS: '--experimental-vm-modules --no-warnings' };

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program (of node_modules/.bin before the system's) with our own input and output, and hands it the signals
 * that we get. Resolves to its exit code: 127 when there is no such program, 128 + n when signal n ended it.
 * @param {readonly string[]} command
 * @param {Record<string, string>} [environment] added to our own
 * @returns {Promise<number>}
 */
export function run([program = '', ...args], environment = {}) {
  const path = `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`;
  const env = { ...process.env, PATH: path, ...environment };
  const child = spawn(program, args, { cwd: root, stdio: 'inherit', env });
  const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  return new Promise((resolve) => {
    const end = (/** @type {number} */ code) => {
      for (const signal of signals) process.off(signal, forward);
      resolve(code);
    };
    child.once('error', () => end(127));
    child.once('close', (code, signal) => end(code ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 0)));
  });
}
