import { request } from 'node:http';
import { VectaraClient } from '../client/vectara-client.js';
import { DataFolder } from '../product/data-folder.js';
import { type Greeting, StandaloneProcess } from '../product/standalone-process.js';

describe('an open Parley', () => {
  let folder: DataFolder;
  let parley: StandaloneProcess;
  let greeting: Greeting;
  const session = JSON.stringify({ key: 'made' });

  /** Sends a request with headers that `fetch` would not send. */
  const post = (headers: Record<string, string>, body = session): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request(`${greeting.url}/v2/agents/hello/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
      });
      asked.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)));
      asked.on('error', reject).end(body);
    });

  beforeAll(async () => {
    folder = new DataFolder();
    parley = new StandaloneProcess({ dataFolder: folder.path, env: { PARLEY_OPEN: '1' } });
    greeting = await parley.listening();
  }, 60_000);
  afterAll(async () => {
    await parley.kill('SIGTERM');
    folder.remove();
  });

  it('says so, and asks for no key on this machine', async () => {
    expect(greeting.key).toBeNull();
    expect(parley.lines.join('\n')).toMatch(/no key/);
    const { agents } = await new VectaraClient(greeting.url, null).ask<{ agents: unknown[] }>({ path: '/v2/agents' });
    expect(agents).toHaveLength(1);
  });

  it.each([
    ['to a foreign host name', { host: 'parley.example' }],
    ['to a foreign host name that looks like ours', { host: 'localhost.example:8283' }],
    ['to a name that points here', { host: '127.0.0.1.nip.io' }],
    ['from a page of another origin', { origin: 'https://parley.example' }],
    ['from a page of another origin that looks like ours', { origin: 'http://localhost.example' }],
    ['from a page of no origin', { origin: 'null' }],
  ])('refuses what is sent %s', async (_what, headers) => {
    expect(await post(headers)).toBe(403);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'refuses %s, which a page may send without asking',
    async (type) => {
      expect(await post({ 'content-type': type })).toBe(415);
    },
  );

  it('has done nothing of what it refused', async () => {
    const client = new VectaraClient(greeting.url, null);
    expect((await client.send({ path: '/v2/agents/hello/sessions/made' })).status).toBe(404);
  });

  it.each([
    { host: 'localhost' },
    { host: 'LOCALHOST:80' },
    { host: '[::1]:8283' },
    { origin: 'http://localhost:3000' },
  ])('takes what is sent to and from this machine: %j', async (headers) => {
    expect(await post(headers, '{}')).toBe(201);
  });
});
