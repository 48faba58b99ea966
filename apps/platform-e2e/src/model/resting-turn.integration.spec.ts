import { setTimeout as sleep } from 'node:timers/promises';
import { VectaraClient } from '../client/vectara-client.js';
import { type SessionKeys } from '../client/wire.js';
import { DataFolder } from '../product/data-folder.js';
import { StandaloneProcess } from '../product/standalone-process.js';
import { StubModel } from './stub-model.js';

/** What the provider asks to wait, in seconds. */
const WAIT = 3;

describe('a turn that rests because its provider asked for it', () => {
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
    await client.makeAgent('patient', 'openai/odd-1');
  }, 60_000);
  afterAll(async () => {
    await parley.kill('SIGTERM');
    await model.close();
    folder.remove();
  });

  /** Says words whose first model call is refused; @returns when the turn rests. */
  const rest = async (name: string): Promise<{ session: SessionKeys; ended: Promise<unknown> }> => {
    const session = await client.makeSession('patient', name);
    const refused = new Set([`Hello from ${name}`]);
    model.refuse = (words) => (refused.delete(words) ? WAIT : undefined);
    const stream = await client.say(session, `Hello from ${name}`);
    while (refused.size > 0) await sleep(5);
    await sleep(100);
    return { session, ended: stream.all() };
  };
  const typesOf = async (session: SessionKeys): Promise<string[]> =>
    (await client.events(session)).map(({ type }) => type);

  it('can be interrupted at once, and the session goes on', async () => {
    const { session, ended } = await rest('interrupted');
    const before = performance.now();
    expect((await client.interrupt(session)).status).toBe(201);
    await ended;
    expect(performance.now() - before).toBeLessThan(1_000);
    await (await client.say(session, 'And now?')).all();
    expect(await typesOf(session)).toEqual(['input_message', 'session_interrupted', 'input_message', 'agent_output']);
  });

  it('hears words that break in, and still waits as long as it was asked to', async () => {
    const { session, ended } = await rest('steered');
    const before = performance.now();
    const stream = await client.say(session, 'Shorter, please', { since: 'start', behavior: 'steer' });
    expect(stream.status).toBe(201);
    await Promise.all([ended, stream.all()]);
    expect(performance.now() - before).toBeGreaterThan((WAIT - 1) * 1_000);
    expect(await typesOf(session)).toEqual(['input_message', 'input_message', 'agent_output']);
    expect(model.requests.at(-1)?.body.messages.at(-1)?.content).toContain('Shorter, please');
  });

  it('goes before the words that follow it', async () => {
    const { session, ended } = await rest('followed');
    const stream = await client.say(session, 'Second', { since: 'start', behavior: 'follow_up' });
    await Promise.all([ended, stream.all()]);
    expect(await typesOf(session)).toEqual(['input_message', 'agent_output', 'input_message', 'agent_output']);
  });

  it('ends with its session', async () => {
    const { session, ended } = await rest('deleted');
    const path = `/v2/agents/${session.agent}/sessions/${session.session}`;
    expect((await client.send({ method: 'DELETE', path })).status).toBe(204);
    await ended;
    expect((await client.send({ path })).status).toBe(404);
  });

  it('ends in an error at once where its agent does not repeat calls', async () => {
    const session = await client.makeSession('patient', 'once');
    const change = { model: { name: 'openai/odd-1', retry_configuration: { enabled: false } } };
    await client.ask({ method: 'PATCH', path: '/v2/agents/patient', body: change });
    model.refuse = () => WAIT;
    const events = await (await client.say(session, 'Hello')).all();
    model.refuse = () => undefined;
    expect(JSON.stringify(events)).toContain('it asks to wait 3 s');
    expect(await typesOf(session)).toEqual(['input_message', 'error']);
  });
});
