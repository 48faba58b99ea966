import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tools = fileURLToPath(new URL('.', import.meta.url));

/** A workspace of two files with the real tools, on a machine whose npm, Jest and apt-get only write down their calls. */
class ToyMachine {
  readonly root = mkdtempSync(join(tmpdir(), 'parley-toy-'));

  constructor() {
    for (const name of [...readdirSync(tools), ...readdirSync(join(tools, 'install')).map((one) => `install/${one}`)]) {
      if (name.endsWith('.mjs')) cpSync(join(tools, name), join(this.root, 'tools', name));
    }
    this.write('package.json', JSON.stringify({ type: 'module', engines: { node: '>=20.19' } }));
    this.write(
      'package-lock.json',
      JSON.stringify({ packages: { '': {}, 'node_modules/zod': { integrity: 'zod-4' } } }),
    );
    this.write('tsconfig.base.json', '{}');
    this.write('tsconfig.json', JSON.stringify({ references: [{ path: './apps/standalone' }] }));
    this.write('tools/install/servers.json', '[]');
    this.write('apps/standalone/src/main.ts', '');
    for (const folder of ['libs', 'bench', 'prisma']) mkdirSync(join(this.root, folder));
    this.program(
      'npm',
      'case "$1" in ci) cp package-lock.json node_modules/.package-lock.json;; run) mkdir -p apps/standalone/dist; touch apps/standalone/dist/tsconfig.tsbuildinfo; echo "console.log(\'listening\'); process.exitCode = 3" > apps/standalone/dist/main.js;; esac',
    );
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** Puts a program before all others of its name. It writes down how it was called, then does what `script` says. */
  program(name: string, script: string): void {
    this.write(`node_modules/.bin/${name}`, `#!/bin/sh\necho "${name} $*" >> "${this.root}/calls"\n${script}\n`);
    chmodSync(join(this.root, 'node_modules/.bin', name), 0o755);
  }

  /** What Jest's report says, and the code it ends with. */
  jest(report: object | undefined, code: number): void {
    const text = report
      ? `for one in "$@"; do case $one in --outputFile=*) echo '${JSON.stringify(report)}' > "\${one#*=}";; esac; done`
      : '';
    this.program('jest', `${text}\nexit ${code}`);
  }

  run(tool: string, ...args: string[]): { status: number | null; lines: string[]; calls: string[] } {
    rmSync(join(this.root, 'calls'), { force: true });
    const { status, stdout } = spawnSync(process.execPath, [join(this.root, 'tools', tool), ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    const calls = existsSync(join(this.root, 'calls')) ? readFileSync(join(this.root, 'calls'), 'utf8') : '';
    return { status, lines: stdout.trimEnd().split('\n'), calls: calls.split('\n').filter(Boolean) };
  }
}

const aReport = (
  counts: Partial<Record<'numPassedTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites', number>>,
) => ({
  numPassedTests: 0,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  ...counts,
});

describe('the tools a newcomer meets', () => {
  let machine: ToyMachine;

  beforeEach(() => {
    machine = new ToyMachine();
  });
  afterEach(() => {
    rmSync(machine.root, { recursive: true });
  });

  describe('npm start', () => {
    it('installs, builds and becomes the app, with its exit code', () => {
      const { status, lines, calls } = machine.run('start.mjs');
      expect(calls).toEqual(['npm ci --ignore-scripts --loglevel=error', 'npm run --silent build']);
      expect(lines.at(-1)).toBe('listening');
      expect(status).toBe(3);
    });

    it('does neither the second time', () => {
      machine.run('start.mjs');
      expect(machine.run('start.mjs')).toEqual({ status: 3, lines: ['listening'], calls: [] });
    });

    it('builds again when a source changed', () => {
      machine.run('start.mjs');
      machine.write('libs/core/src/run.ts', 'export const run = 1;');
      expect(machine.run('start.mjs').calls).toEqual(['npm run --silent build']);
    });

    it('does not build again for a spec', () => {
      machine.run('start.mjs');
      machine.write('libs/core/src/run.spec.ts', '');
      expect(machine.run('start.mjs').calls).toEqual([]);
    });

    it('builds again when a project was cleaned', () => {
      machine.run('start.mjs');
      rmSync(join(machine.root, 'apps/standalone/dist/tsconfig.tsbuildinfo'));
      expect(machine.run('start.mjs').calls).toEqual(['npm run --silent build']);
    });

    it('installs again when the lock asks for another version', () => {
      machine.run('start.mjs');
      machine.write('package-lock.json', JSON.stringify({ packages: { 'node_modules/zod': { integrity: 'zod-5' } } }));
      expect(machine.run('start.mjs').calls[0]).toBe('npm ci --ignore-scripts --loglevel=error');
    });

    it('refuses an old Node with one line', () => {
      machine.write('package.json', JSON.stringify({ type: 'module', engines: { node: '>=99.1' } }));
      expect(machine.run('start.mjs')).toEqual({ status: 1, lines: [''], calls: [] });
    });

    it('ends when the build fails', () => {
      machine.program('npm', 'test "$1" = ci');
      expect(machine.run('start.mjs').status).toBe(1);
    });
  });

  describe('npm test', () => {
    it.each([
      { that: 'all passed', report: aReport({ numPassedTests: 3 }), code: 0, line: '3 passed, 0 failed' },
      {
        that: 'some failed',
        report: aReport({ numPassedTests: 3, numFailedTests: 2 }),
        code: 1,
        line: '3 passed, 2 failed',
      },
      {
        that: 'a suite could not run',
        report: aReport({ numPassedTests: 3, numRuntimeErrorTestSuites: 1 }),
        code: 1,
        line: '3 passed, 1 failed',
      },
      {
        that: 'Jest is unhappy with something else',
        report: aReport({ numPassedTests: 3 }),
        code: 1,
        line: '3 passed, 1 failed',
      },
      { that: 'no test ran', report: aReport({}), code: 0, line: '0 passed, 1 failed' },
      { that: 'Jest died', report: undefined, code: 137, line: '0 passed, 1 failed' },
    ])('ends with the counts when $that', ({ report, code, line }) => {
      machine.jest(report, code);
      const { status, lines } = machine.run('test.mjs');
      expect(lines.at(-1)).toBe(line);
      expect(status).toBe(line.endsWith(' 0 failed') ? 0 : 1);
    });

    it('installs, builds, and hands its arguments to Jest', () => {
      machine.jest(aReport({ numPassedTests: 1 }), 0);
      const { calls } = machine.run('test.mjs', 'libs/core', '-t', 'folds');
      expect(calls.slice(0, 2)).toEqual(['npm ci --ignore-scripts --loglevel=error', 'npm run --silent build']);
      expect(calls[2]).toMatch(/^jest --json --outputFile=\S+ libs\/core -t folds$/);
    });

    it('does not test what does not build', () => {
      machine.program('npm', 'test "$1" = ci');
      const { status, lines, calls } = machine.run('test.mjs');
      expect(calls.at(-1)).toBe('npm run --silent build');
      expect(lines.at(-1)).toBe('0 passed, 1 failed');
      expect(status).toBe(1);
    });
  });

  describe('npm test where a server is missing', () => {
    const program = (): string => join(machine.root, 'nats-server');

    beforeEach(() => {
      machine.write('tools/install/servers.json', JSON.stringify([{ name: 'nats-server', program: program() }]));
      machine.jest(aReport({ numPassedTests: 1 }), 0);
      machine.program('sudo', 'shift; exec "$@"');
      // Keeps the tested script, which runs as root, inside the toy machine.
      machine.program('sh', `/bin/sh -c "$(printf %s "$2" | sed 's#/usr/sbin#${machine.root}#')" "$3" "$4"`);
    });

    it('installs it with apt-get, and lets no service start meanwhile', () => {
      machine.program('apt-get', `test "$1" = update || cp ${machine.root}/policy-rc.d ${program()}`);
      const { status, calls } = machine.run('test.mjs');
      expect(calls.filter((call) => /^apt-get \w+( [^$]*)?$/.test(call))).toEqual([
        'apt-get update',
        'apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 nats-server',
      ]);
      expect(readFileSync(program(), 'utf8')).toContain('exit 101');
      expect(existsSync(join(machine.root, 'policy-rc.d'))).toBe(false);
      expect(status).toBe(0);
    });

    it('says what to do where that fails, and runs nothing', () => {
      machine.program('apt-get', 'exit 100');
      const { status, lines, calls } = machine.run('test.mjs');
      expect(calls.some((call) => call.startsWith('jest'))).toBe(false);
      expect(lines.at(-1)).toBe('0 passed, 1 failed');
      expect(status).toBe(1);
    });
  });
});
