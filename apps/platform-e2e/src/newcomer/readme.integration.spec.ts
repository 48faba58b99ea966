import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../config.js';
import { DataFolder } from '../product/data-folder.js';
import { type Greeting, StandaloneProcess } from '../product/standalone-process.js';
import { consoleCommands, firstMissing, timeless } from './console-blocks.js';

const commands = consoleCommands(readFileSync(join(repository, 'README.md'), 'utf8'));

describe('the commands of the README, one after the other, on a first start', () => {
  let folder: DataFolder;
  let parley: StandaloneProcess;
  let greeting: Greeting;

  beforeAll(async () => {
    folder = new DataFolder();
    parley = new StandaloneProcess({ dataFolder: folder.path });
    greeting = await parley.listening();
  }, 60_000);
  afterAll(async () => {
    await parley.kill('SIGTERM');
    folder.remove();
  });

  it('are there', () => {
    expect(commands.length).toBeGreaterThan(1);
    expect(commands.every(({ command }) => command.startsWith('curl '))).toBe(true);
  });

  it('begin with the line that a start prints', () => {
    const printed = greeting.curl.replace(greeting.url, 'http://127.0.0.1:8283').replace(greeting.key ?? '', '…');
    expect(commands[0]?.command).toBe(printed);
  });

  it.each(commands)('$command', async ({ command, output }) => {
    const now = command
      .replace('curl', 'curl -sS --fail-with-body')
      .replace('http://127.0.0.1:8283', greeting.url)
      .replace('x-api-key: …', `x-api-key: ${greeting.key}`);
    const { stdout } = await promisify(execFile)('bash', ['-c', now]);
    const [shown, actual] = [timeless(output), timeless(stdout.split('\n'))];
    expect(stdout).not.toBe('');
    expect(firstMissing(shown, actual)).toBeUndefined();
    expect(shown[0] ?? actual[0]).toBe(actual[0]);
  });
});
