import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { VectaraClient } from '../client/vectara-client.js';
import { StubModel } from '../model/stub-model.js';
import { DataFolder } from '../product/data-folder.js';
import { type Greeting, StandaloneProcess } from '../product/standalone-process.js';

describe('a Parley that is given a provider and a key', () => {
  let folder: DataFolder;
  let model: StubModel;
  let parley: StandaloneProcess;
  let greeting: Greeting;

  const start = async (env: Record<string, string>): Promise<void> => {
    parley = new StandaloneProcess({ dataFolder: folder.path, env });
    greeting = await parley.listening();
  };
  const paste = async (): Promise<string> => (await promisify(execFile)('bash', ['-c', greeting.curl])).stdout;

  beforeAll(async () => {
    folder = new DataFolder();
    model = new StubModel();
    // It has met the simulator before, which keeps its conversation.
    await start({});
    await paste();
    await parley.kill('SIGTERM');
    await start({ OPENAI_BASE_URL: await model.listen(), OPENAI_API_KEY: 'sk-odd-secret', OPENAI_MODEL: 'odd-large' });
  }, 60_000);
  afterAll(async () => {
    await parley.kill('SIGTERM');
    await model.close();
    folder.remove();
  });

  it('talks to it by the same line', async () => {
    expect(greeting.curl).toContain('/v2/agents/hello/sessions/hello/events');
    const shown = await paste();
    const words = [...shown.matchAll(/"streaming_agent_output","content":"((?:[^"\\]|\\.)*)"/g)];
    expect(words.map(([, text]) => JSON.parse(`"${text}"`) as string).join('')).toBe('You said: "Hello!" ✓');
    expect(shown).toMatch(/"total_tokens":11\b/);
  });

  it('sends it the right request: model, instructions, history, and that usage is wanted', async () => {
    await paste();
    const [first, second, ...others] = model.requests;
    expect(others).toEqual([]);
    expect(first).toMatchObject({ method: 'POST', path: '/odd/v1/chat/completions' });
    expect(first?.headers).toMatchObject({
      authorization: 'Bearer sk-odd-secret',
      'content-type': 'application/json',
      accept: expect.stringContaining('text/event-stream'),
    });
    expect(second?.body).toEqual({
      model: 'odd-large',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: expect.stringMatching(/^(system|developer)$/), content: expect.stringContaining('hello agent') },
        { role: 'user', content: 'Hello!' },
        { role: 'assistant', content: expect.stringContaining('simulator') },
        { role: 'user', content: 'Hello!' },
        { role: 'assistant', content: 'You said: "Hello!" ✓' },
        { role: 'user', content: 'Hello!' },
      ],
    });
  });

  it('shows the key to nobody', async () => {
    const client = new VectaraClient(greeting.url, greeting.key);
    const shown = await client.send({ path: '/v2/agents/hello' });
    expect(`${parley.output}${shown.text}`).not.toContain('sk-odd-secret');
  });

  it('goes back to the simulator when it is given none', async () => {
    await parley.kill('SIGTERM');
    await start({});
    expect(await paste()).toContain('simulator');
    expect(model.requests).toHaveLength(2);
  });
});
