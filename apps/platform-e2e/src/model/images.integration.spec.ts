import { VectaraClient } from '../client/vectara-client.js';
import { DataFolder } from '../product/data-folder.js';
import { StandaloneProcess } from '../product/standalone-process.js';
import { StubModel } from './stub-model.js';

describe('a model that answers with an image', () => {
  const folder = new DataFolder();
  const model = new StubModel();
  let parley: StandaloneProcess;
  let client: VectaraClient;

  beforeAll(async () => {
    parley = new StandaloneProcess({
      dataFolder: folder.path,
      env: { OPENAI_BASE_URL: await model.listen(), OPENAI_API_KEY: 'sk-odd' },
    });
    const { url, key } = await parley.listening();
    client = new VectaraClient(url, key);
    await client.makeAgent('painter', 'openai/odd-1');
  }, 60_000);
  afterAll(async () => {
    await parley.kill('SIGTERM');
    await model.close();
    folder.remove();
  });

  it('is asked once, its answer is shown in words, and the next turn goes on from it', async () => {
    const session = await client.makeSession('painter', 'paint');
    const url = 'data:image/png;base64,aGVsbG8=';
    model.say = () => [
      { type: 'text', text: 'A cat:' },
      { type: 'image_url', image_url: { url } },
    ];
    const shown = await (await client.say(session, 'Paint a cat.')).all();
    model.say = () => undefined;
    expect(model.requests).toHaveLength(1);
    const chunks = shown
      .filter(({ event }) => event.type === 'streaming_agent_output')
      .map(({ event }) => event.content);
    expect(chunks).toContain('[image: image/png, 5 bytes]');
    expect(await client.events(session)).toMatchObject([
      { type: 'input_message' },
      { type: 'agent_output', content: 'A cat:' },
      { type: 'agent_output', content: '[image: image/png, 5 bytes]' },
    ]);
    await (await client.say(session, 'Thank you.')).all();
    expect(model.requests[1]?.body.messages.slice(-3)).toEqual([
      { role: 'user', content: 'Paint a cat.' },
      { role: 'assistant', content: 'A cat:[image]' },
      { role: 'user', content: 'Thank you.' },
    ]);
  });

  it('is asked once too where the image is large, and it is told by its size', async () => {
    const session = await client.makeSession('painter', 'paint-large');
    const url = `data:image/png;base64,${'aGVs'.repeat(40_000)}`;
    const before = model.requests.length;
    model.say = () => [{ type: 'image_url', image_url: { url } }];
    const shown = await (await client.say(session, 'Paint a large cat.')).all();
    model.say = () => undefined;
    const told = '[image: image/png, 120000 bytes]';
    expect(model.requests).toHaveLength(before + 1);
    expect(shown.map(({ event }) => event.content)).toContain(told);
    expect((await client.events(session)).at(-1)).toMatchObject({ type: 'agent_output', content: told });
    await (await client.say(session, 'Thank you.')).all();
    expect(model.requests.at(-1)?.body.messages.at(-2)).toEqual({ role: 'assistant', content: '[image]' });
  });
});
