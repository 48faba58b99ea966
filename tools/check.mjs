/**
 * `npm run check`: what a commit must pass. Every step runs, so that one call shows all that is wrong; a step that
 * fails names the command that mends it or shows it alone.
 */
import { jestEnv, root, run } from './processes.mjs';

const steps = [
  { name: 'format', fix: 'npm run format', commands: [['prettier', '--check', '--log-level', 'warn', '.']] },
  { name: 'lint', fix: 'npm run lint', commands: [['eslint', '.', '--max-warnings', '0']] },
  {
    name: 'types',
    fix: 'npm run types',
    commands: [
      ['tsc', '-b'],
      ['tsc', '-p', 'tsconfig.spec.json'],
    ],
  },
  {
    name: 'unit',
    fix: 'npm run unit',
    commands: [['jest', '--testPathIgnorePatterns', '\\.integration\\.spec\\.ts$', '/dist/']],
    env: jestEnv,
  },
];

async function main() {
  process.chdir(root);
  const failed = [];
  for (const { name, commands, env, fix } of [
    { name: 'generate', fix: 'npm run generate', commands: [['node', 'tools/generate.mjs']] },
    ...steps,
  ]) {
    const started = performance.now();
    console.log(`── ${name}`);
    let code = 0;
    for (const command of commands) code ||= await run(command, env);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      code === 0 ? `   ${name}: good, ${seconds} s\n` : `   ${name}: FAILED, ${seconds} s. To mend or see it: ${fix}\n`,
    );
    if (code !== 0) failed.push(name);
  }
  console.log(failed.length === 0 ? 'check: all good' : `check: ${failed.join(', ')} failed`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

await main();
