import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** One finding of ESLint: which rule, and what it said. */
export interface Finding {
  rule: string | null;
  message: string;
}

/** A source file to plant: its path from the workspace root, and its text. */
export interface PlantedFile {
  path: string;
  text: string;
}

const workspace = fileURLToPath(new URL('../..', import.meta.url));
const configuration = ['eslint.config.mjs', 'nx.json', 'package.json', 'package-lock.json', '.gitignore'];

/**
 * A copy of this workspace in a temporary folder with its real configuration, projects, tags and packages, but with
 * only planted sources: so a rule is proved on the real thing, nobody's checkout is touched, and the program is small.
 */
export class LintedWorkspace {
  private readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-lint-')));
  private readonly found = new Map<string, Finding[]>();

  /** The rules that eslint.config.mjs chooses itself, beyond the presets it builds on. Known after `lint`. */
  houseRules: string[] = [];

  constructor() {
    for (const name of [...configuration, ...readdirSync(workspace).filter((one) => /^tsconfig.*\.json$/.test(one))]) {
      cpSync(join(workspace, name), join(this.root, name));
    }
    cpSync(join(workspace, 'tools/lint'), join(this.root, 'tools/lint'), { recursive: true });
    for (const project of projects()) this.copyProject(project);
    this.linkPackages();
  }

  /** Plants the files and lints everything once, as `npm run lint` would. */
  async lint(files: readonly PlantedFile[]): Promise<void> {
    for (const { path, text } of files) this.write(path, text);
    const script = `const { houseRules } = await import('./eslint.config.mjs');
      const { ESLint } = await import('eslint');
      const results = await new ESLint().lintFiles(['apps', 'libs', 'bench']);
      const found = results.map(({ filePath, messages }) => [filePath, messages]);
      process.stdout.write(JSON.stringify({ houseRules, found }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: this.root,
      maxBuffer: 1 << 26,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    this.read(stdout.slice(stdout.indexOf('{')));
  }

  /** What was found in a planted file. Throws when the file was not linted at all: silence would prove nothing. */
  findings(path: string): Finding[] {
    const findings = this.found.get(path);
    if (!findings) throw new Error(`${path} was not linted`);
    return findings;
  }

  /** Deletes the copy. */
  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  private read(output: string): void {
    const { houseRules, found } = JSON.parse(output) as {
      houseRules: string[];
      found: [string, { ruleId: string | null; message: string }[]][];
    };
    this.houseRules = houseRules;
    for (const [file, messages] of found) {
      const findings = messages.map(({ ruleId, message }) => ({ rule: ruleId, message }));
      this.found.set(file.slice(this.root.length + 1), findings);
    }
  }

  private write(path: string, text: string): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  private copyProject(project: string): void {
    for (const name of ['package.json', 'tsconfig.json']) {
      cpSync(join(workspace, project, name), join(this.root, project, name));
    }
    const name = project.split('/').at(-1) ?? project;
    const constant = name.replaceAll('-', '_');
    this.write(`${project}/src/index.ts`, `/** What ${name} is for. */\nexport const ${constant} = '${name}';\n`);
  }

  /** A node_modules of links: the real packages, but the copy's own projects. */
  private linkPackages(): void {
    const packages = join(this.root, 'node_modules');
    mkdirSync(join(packages, '@parley'), { recursive: true });
    for (const name of readdirSync(join(workspace, 'node_modules'))) {
      if (name === '@parley') continue;
      symlinkSync(join(workspace, 'node_modules', name), join(packages, name));
    }
    for (const project of projects()) {
      symlinkSync(join(this.root, project), join(packages, '@parley', project.split('/').at(-1) ?? project));
    }
  }
}

function projects(): string[] {
  const inside = (group: string) => readdirSync(join(workspace, group)).map((name) => `${group}/${name}`);
  return [...inside('apps'), ...inside('libs'), 'bench'].filter((path) =>
    existsSync(join(workspace, path, 'package.json')),
  );
}
