import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VectaraClient } from '../client/vectara-client.js';
import { DataFolder } from '../product/data-folder.js';
import { StandaloneProcess } from '../product/standalone-process.js';
import { StubModel } from './stub-model.js';

describe('a Parley that is given a file of providers', () => {
  const folder = new DataFolder();
  const elsewhere = new DataFolder();
  const model = new StubModel();
  let parley: StandaloneProcess;

  const start = (file: object): StandaloneProcess => {
    const path = join(elsewhere.path, 'providers.json');
    writeFileSync(path, JSON.stringify(file));
    return new StandaloneProcess({
      dataFolder: folder.path,
      env: { PARLEY_PROVIDERS_FILE: path, ODD_KEY: 'sk-odd-secret' },
    });
  };

  afterAll(async () => {
    await parley.kill('SIGTERM');
    await model.close();
    folder.remove();
    elsewhere.remove();
  });

  it('says all that is wrong with it, and does not start', async () => {
    parley = start({ default: 'none', providers: { odd: { baseUrl: 'nowhere', apiKey: { env: 'NOT_SET' } } } });
    expect(await parley.exited).toMatchObject({ code: 1 });
    expect(parley.output).toMatch(/providers\.odd\.baseUrl: must be an http or https URL/);
    expect(parley.output).toMatch(/providers\.odd\.apiKey: names the variable NOT_SET, which is not set/);
  });

  it('talks to its default provider as the file says, and lists it without its key', async () => {
    const models = { 'odd-*': { window: 1_000, quirks: { streamOptions: false, systemRole: 'developer' } } };
    const odd = { baseUrl: await model.listen(), apiKey: { env: 'ODD_KEY' }, defaultModel: 'odd-1', models };
    parley = start({ default: 'odd', providers: { odd } });
    const { url, key } = await parley.listening();
    const client = new VectaraClient(url, key);
    await (await client.say({ agent: 'hello', session: 'hello' }, 'Hello!')).all();
    const [request] = model.requests;
    expect(request?.headers['authorization']).toBe('Bearer sk-odd-secret');
    expect(request?.body).toMatchObject({ model: 'odd-1', messages: [{ role: 'developer' }, { role: 'user' }] });
    expect(request?.body).not.toHaveProperty('stream_options');

    const listed = await client.send({ path: '/parley/v1/providers' });
    expect(JSON.parse(listed.text)).toMatchObject({
      default: 'odd',
      providers: [{ name: 'odd', hasKey: true, defaultModel: 'odd-1', models, pausedMs: 0 }, { name: 'simulator' }],
    });
    expect(`${listed.text}${parley.output}`).not.toContain('sk-odd-secret');

    const mistaken = await client.makeSession(await client.makeAgent('mistaken', 'simulator/gpt-9'), 'mistaken');
    await (await client.say(mistaken, 'Hello!')).all();
    const messages = JSON.stringify(await client.events(mistaken));
    expect(messages).toContain(
      "simulator: asked for model 'gpt-9'; another is named as '<provider>/<model>' (providers:",
    );
  });
});
