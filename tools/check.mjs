/**
 * `npm run check`: what a commit must pass. Every step runs, so that one call shows all that is wrong; a step that
 * fails names the command that mends it or shows it alone.
 */
import { run } from './processes.mjs';

const steps = [
  { script: 'generate', fix: 'generate' },
  { script: 'format:check', fix: 'format' },
  { script: 'lint', fix: 'lint -- --fix' },
  { script: 'types', fix: 'types' },
  { script: 'unit', fix: 'unit -- --onlyFailures' },
];

const failed = [];
for (const { script, fix } of steps) {
  console.log(`── ${script}`);
  const started = performance.now();
  const code = await run(['npm', 'run', '--silent', script]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (code !== 0) failed.push(script);
  console.log(
    `   ${script}: ${code === 0 ? 'good' : 'FAILED'}, ${seconds} s${code === 0 ? '' : `. Next: npm run ${fix}`}\n`,
  );
}
console.log(failed.length === 0 ? 'check: all good' : `check: ${failed.join(', ')} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
