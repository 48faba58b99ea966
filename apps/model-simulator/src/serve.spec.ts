import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@parley/host';
import OpenAI from 'openai';
import { Config } from './config.js';
import { serve } from './serve.js';

/** The process that the program runs in: takes signals, tells its exit code. */
class FakeProcess extends EventEmitter {
  exit(code: number): void {
    this.emit('exited', code);
  }
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-simulator-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function configWith(script: string, env: Record<string, string> = {}): Promise<Config> {
  const file = join(folder, 'script.json');
  await writeFile(file, script);
  return readConfig(Config, { PORT: '0', LOG_LEVEL: 'silent', SIMULATOR_SCRIPT_FILE: file, ...env });
}

describe('the program', () => {
  it('needs no configuration', () => {
    expect(readConfig(Config, {})).toEqual({
      host: '127.0.0.1',
      port: 8290,
      bodyLimitBytes: 67_108_864,
      logLevel: 'info',
    });
  });

  it('plays the script of its file to who has its key, until it is told to stop', async () => {
    const process = new FakeProcess();
    const script = '{"rules":[{"answer":[{"say":"from the file"}]}]}';
    const simulator = await serve(await configWith(script, { SIMULATOR_API_KEY: 'sk-file' }), process);
    const client = new OpenAI({ baseURL: simulator.url, apiKey: 'sk-file', maxRetries: 0 });
    const completion = await client.chat.completions.create({
      model: 'sim-1-0',
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(completion.choices[0]?.message.content).toBe('from the file');

    const exited = once(process, 'exited');
    process.emit('SIGTERM');
    expect(await exited).toEqual([0]);
    await expect(client.models.list()).rejects.toThrow('Connection error');
  });

  it.each([
    ['is no JSON', '{"rules":', /script\.json: .*JSON/],
    ['has a mistake', '{"rules":[{"answer":[{"shout":"x"}]}]}', /script\.json: [^]*rules\[0\]\.answer\[0\]/],
  ])('does not start with a script that %s', async (_, script, message) => {
    await expect(serve(await configWith(script), new FakeProcess())).rejects.toThrow(message);
  });
});
