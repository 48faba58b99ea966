import { claimsIn, Cluster } from './cluster.js';

describe('a cluster', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start({ LOG_LEVEL: 'debug' });
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

  it('hands runs to executors by BullMQ jobs, not by looking now and then', async () => {
    const client = cluster.client();
    const agent = await client.makeAgent('short', 'openai/sim-2-0');
    const before = claimsIn(cluster.logs('run-executor'));
    for (let turn = 0; turn < 40; turn += 1) {
      await (await client.say(await client.makeSession(agent, `short${turn}`), 'Hello!')).all();
    }
    const claims = claimsIn(cluster.logs('run-executor')).slice(before.length);
    const runs = claims.reduce((sum, claim) => sum + claim.runs, 0);
    const rung = claims.filter(({ permits }) => permits > 0).reduce((sum, claim) => sum + claim.runs, 0);
    expect(runs).toBe(40);
    // Now and then an executor looks just before it is rung for.
    expect(rung).toBeGreaterThanOrEqual(32);
  });

  it('says that it cannot work while NATS is away, soon, and works again by itself', async () => {
    const client = cluster.client();
    await cluster.command('down nats');
    const refused = await client.send({ path: '/v2/agents/hello' });
    expect({ status: refused.status, soon: refused.ms < 5_000 }).toEqual({ status: 503, soon: true });
    await cluster.command('up nats');
    const deadline = performance.now() + 10_000;
    let status = 0;
    while (status !== 200 && performance.now() < deadline)
      ({ status } = await client.send({ path: '/v2/agents/hello' }));
    expect(status).toBe(200);
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
