import { Cluster } from './cluster.js';

describe('a cluster', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  }, 180_000);
  afterAll(() => cluster.stop());

  it('has each service as a process of its own, and two executors', async () => {
    const places = await cluster.places();
    expect(places.map(({ service, number }) => `${service} ${number}`).sort()).toEqual([
      'agent-registry 1',
      'gateway 1',
      'model-simulator 1',
      'nats 1',
      'redis 1',
      'run-executor 1',
      'run-executor 2',
      'session 1',
    ]);
    expect(new Set(places.map(({ pid }) => pid)).size).toBe(8);
  });

  it('answers a turn', async () => {
    const client = cluster.client();
    const session = await client.makeSession('hello', 'talk');
    const frames = await (await client.say(session, 'Hello!')).all();
    expect(frames.filter(({ event }) => event.type === 'streaming_agent_output').length).toBeGreaterThan(10);
    expect((await client.events(session)).map(({ type }) => type)).toEqual(['input_message', 'agent_output']);
  });

  it('starts a killed process again', async () => {
    const [killed] = await cluster.places('session');
    process.kill(killed?.pid ?? 0, 'SIGKILL');
    const client = cluster.client();
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (let tries = 0; tries < 100; tries += 1) {
      const { status } = await client.send({ path: '/v2/agents/hello/sessions' });
      if (status === 200) break;
      expect(status).toBe(503);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const [now] = await cluster.places('session');
    expect(now?.pid).not.toBe(killed?.pid);
    expect((await client.send({ path: '/v2/agents/hello/sessions' })).status).toBe(200);
  });
});
