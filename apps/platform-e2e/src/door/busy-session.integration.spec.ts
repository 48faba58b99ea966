import { VectaraClient } from '../client/vectara-client.js';
import { type SessionKeys, wordsOf } from '../client/wire.js';
import { judge, merged } from '../kills/verdict.js';
import { DataFolder } from '../product/data-folder.js';
import { StandaloneProcess } from '../product/standalone-process.js';
import { until } from '../product/until.js';

const FINE = { lost: [], doubled: [], faults: [] };

describe('many at once', () => {
  let folder: DataFolder;
  let parley: StandaloneProcess;
  let client: VectaraClient;
  let made = 0;

  const newSession = (agent = 'quick'): Promise<SessionKeys> => client.makeSession(agent, `s${(made += 1)}`);
  const verdictOn = async (session: SessionKeys, said: string[]) => {
    const replay = await (await client.listen(session)).all();
    return judge({ session, listed: await client.events(session), replay, said, views: [], told: [] });
  };
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `words ${n}`);

  beforeAll(async () => {
    folder = new DataFolder();
    parley = new StandaloneProcess({ dataFolder: folder.path });
    const { url, key } = await parley.listening();
    client = new VectaraClient(url, key);
    await client.makeAgent('quick', 'simulator/sim-20-0');
    await client.makeAgent('slow', 'simulator/sim-40-20');
  }, 60_000);
  afterAll(async () => {
    await parley.kill('SIGTERM');
    folder.remove();
  });

  it('who talk to one session: one has the turn, the others are told that it is busy', async () => {
    const session = await newSession('slow');
    const streams = await Promise.all(numbered(50).map((words) => client.say(session, words)));
    const taken = streams.filter(({ status }) => status === 201);
    expect(taken).toHaveLength(1);
    expect(streams.filter(({ status }) => status === 409)).toHaveLength(49);
    const [input] = (await taken[0]?.all()) ?? [];
    expect(await verdictOn(session, input ? wordsOf(input.event) : [])).toEqual(FINE);
    expect(await client.events(session)).toHaveLength(2);
  });

  it('who talk to one session and wait for their turn: each has one of its own', async () => {
    const session = await newSession();
    const words = numbered(50);
    const saying = { since: 'start', behavior: 'follow_up' } as const;
    const streams = await Promise.all(words.map((one) => client.say(session, one, saying)));
    const views = await Promise.all(streams.map((stream) => stream.all()));
    expect(await verdictOn(session, words)).toEqual(FINE);
    expect(await client.events(session)).toHaveLength(100);
    views.forEach((frames, n) => {
      const inputs = frames
        .filter(({ event }) => event.type === 'input_message')
        .flatMap(({ event }) => wordsOf(event));
      expect(inputs.at(-1)).toBe(words[n]);
    });
  }, 60_000);

  it('who break in to one turn: each is heard once, and answered', async () => {
    const session = await newSession('slow');
    const first = await client.say(session, 'first');
    const words = numbered(20);
    const saying = { since: 'start', behavior: 'steer' } as const;
    const streams = await Promise.all(words.map((one) => client.say(session, one, saying)));
    await Promise.all([first, ...streams].map((stream) => stream.all()));
    expect(await verdictOn(session, ['first', ...words])).toEqual(FINE);
  }, 60_000);

  it('who stream from a hundred sessions: all get all', async () => {
    const sessions = await Promise.all(Array.from({ length: 100 }, () => newSession('slow')));
    const startedAt = performance.now();
    const streams = await Promise.all(sessions.map((session) => client.say(session, 'Hello!')));
    const views = await Promise.all(streams.map((stream) => stream.all()));
    process.stdout.write(`100 sessions, 40 words each 20 ms: ${Math.round(performance.now() - startedAt)} ms\n`);
    const shown = views.map((frames) => frames.map(({ event }) => event.content ?? `<${event.type}>`).join(''));
    expect([...new Set(shown)]).toHaveLength(1);
    expect(merged(await Promise.all(sessions.map((session) => verdictOn(session, ['Hello!']))))).toEqual(FINE);
  }, 60_000);

  it('who go away: the turn goes on without them, streamed or not', async () => {
    const [streamed, plain] = [await newSession('slow'), await newSession('slow')];
    const stream = await client.say(streamed, 'Hello!');
    await stream.upTo('streaming_agent_output');
    stream.leave();
    const gone = new AbortController();
    const messages = [{ type: 'text', content: 'Hello!' }];
    const asked = fetch(`${client.url}/v2/agents/slow/sessions/${plain.session}/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': client.key ?? '' },
      body: JSON.stringify({ messages }),
      signal: gone.signal,
    });
    await until('it is heard', async () => (await client.events(plain)).length === 1);
    gone.abort();
    await expect(asked).rejects.toThrow();
    for (const session of [streamed, plain]) expect(await verdictOn(session, ['Hello!'])).toEqual(FINE);
  });

  it('who make the same session or agent: one does, the others are told that it is there', async () => {
    const post = (path: string, body: object) => client.send({ method: 'POST', path, body });
    const sessions = await Promise.all(numbered(20).map(() => post('/v2/agents/quick/sessions', { key: 'same' })));
    const agent = await client.ask<Record<string, unknown>>({ path: '/v2/agents/quick' });
    const { created_at: _created, updated_at: _updated, ...body } = agent;
    const agents = await Promise.all(numbered(20).map(() => post('/v2/agents', { ...body, key: 'same' })));
    for (const answers of [sessions, agents]) {
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
    }
  });

  it('who change different things of one agent: all changes are made', async () => {
    const changes = [
      { name: 'Changed' },
      { description: 'is changed' },
      { metadata: { changed: true } },
      { model: { name: 'simulator/sim-3-0' } },
      { steps: { talk: { reentry_step: 'talk' } } },
      { tool_output_offloading: { enabled: false } },
      { compaction: { enabled: false } },
      { session_enrichment: { enabled: false } },
    ];
    const request = { method: 'PATCH', path: '/v2/agents/quick' };
    const answers = await Promise.all(changes.map((body) => client.send({ ...request, body })));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect(await client.ask({ path: '/v2/agents/quick' })).toMatchObject(Object.assign({}, ...changes));
  });
});
