import { type EventStream } from '../client/event-stream.js';
import { eventsOf, type Saying, VectaraClient } from '../client/vectara-client.js';
import { type Frame, type SessionKeys, type WireEvent } from '../client/wire.js';
import { type Hold, StubModel } from '../model/stub-model.js';
import { DataFolder } from '../product/data-folder.js';
import { StandaloneProcess } from '../product/standalone-process.js';
import { until } from '../product/until.js';

const types = (frames: readonly Frame[]): string[] => frames.map(({ event }) => event.type);

describe('a turn', () => {
  let folder: DataFolder;
  let model: StubModel;
  let parley: StandaloneProcess;
  let client: VectaraClient;
  let session: SessionKeys;
  let made = 0;

  /** Says words to whose reply the model stops at that place. */
  const sayHeld = async (words: string, at: Parameters<Hold>[1], saying?: Saying): Promise<EventStream> => {
    model.hold = (_words, place) => place === at;
    return client.say(session, words, saying);
  };
  const interrupt = async (): Promise<WireEvent[]> => {
    const { status, text, ms } = await client.interrupt(session);
    expect(status).toBe(201);
    expect(ms).toBeLessThan(1_000);
    return (JSON.parse(text) as { events: WireEvent[] }).events;
  };
  /** A session is well when its next turn is, and the model is told a history that has no holes. */
  const isWell = async (): Promise<void> => {
    model.letGo();
    const frames = await (await client.say(session, 'and now?')).all();
    expect(types(frames)).toContain('streaming_agent_output_end');
    const { messages } = model.requests.at(-1)?.body ?? { messages: [] };
    expect(messages.at(-1)).toEqual({ role: 'user', content: 'and now?' });
    expect(messages.filter(({ content }) => content === '')).toEqual([]);
  };

  beforeAll(async () => {
    folder = new DataFolder();
    model = new StubModel();
    const env = { OPENAI_BASE_URL: await model.listen(), OPENAI_API_KEY: 'sk-odd' };
    parley = new StandaloneProcess({ dataFolder: folder.path, env });
    const { url, key } = await parley.listening();
    client = new VectaraClient(url, key);
    await client.makeAgent('talker', 'openai/odd-1');
  }, 60_000);
  beforeEach(async () => {
    session = await client.makeSession('talker', `s${(made += 1)}`);
  });
  afterEach(() => model.letGo());
  afterAll(async () => {
    await parley.kill('SIGTERM');
    await model.close();
    folder.remove();
  });

  describe('that is interrupted ends within 1 s, and its session is well,', () => {
    it('before the model has answered at all', async () => {
      const stream = await sayHeld('silence', 'head');
      await until('the model is asked', () =>
        model.requests.some(({ body }) => body.messages.at(-1)?.content === 'silence'),
      );
      expect(await interrupt()).toMatchObject([{ type: 'session_interrupted' }]);
      expect(types(await stream.all())).toEqual(['input_message', 'session_interrupted', 'end']);
      await until('the request is broken off', () => model.brokenOff.includes('silence'), 1_000);
      await isWell();
    });

    it('amid its reply, whose text is void', async () => {
      const stream = await sayHeld('half', 'text');
      await stream.upTo('streaming_agent_output');
      expect(await interrupt()).toMatchObject([{ type: 'session_interrupted' }]);
      expect(types(await stream.all())).toEqual(['streaming_restarted', 'session_interrupted', 'end']);
      await until('the request is broken off', () => model.brokenOff.includes('half'), 1_000);
      await isWell();
    });

    it('at once after it was asked for', async () => {
      model.hold = () => true;
      const [stream] = await Promise.all([client.say(session, 'race'), interrupt()]);
      await interrupt();
      const seen = types(await stream.all());
      expect(seen.slice(-2)).toEqual(['session_interrupted', 'end']);
      await isWell();
    });

    it('by ten at once, each of whom is told', async () => {
      const stream = await sayHeld('crowd', 'text');
      await stream.upTo('streaming_agent_output');
      const told = await Promise.all(Array.from({ length: 10 }, interrupt));
      expect(told.flat().every(({ type }) => type === 'session_interrupted')).toBe(true);
      await stream.all();
      expect((await client.events(session)).map(({ type }) => type)).toEqual(['input_message', 'session_interrupted']);
      await isWell();
    });

    it('with words that wait behind it: they have their turn', async () => {
      const stream = await sayHeld('first', 'text');
      await stream.upTo('streaming_agent_output');
      const behind = await client.say(session, 'behind', { since: 'start', behavior: 'follow_up' });
      model.hold = (words) => words === 'first';
      await interrupt();
      expect(types(await behind.all()).slice(-3)).toEqual(['streaming_agent_output_end', 'context_consumed', 'end']);
      expect((await client.events(session)).map(({ type }) => type)).toEqual([
        'input_message',
        'session_interrupted',
        'input_message',
        'agent_output',
      ]);
      await isWell();
    });
  });

  it('that has ended, or was never begun, is not interrupted: nothing happens', async () => {
    expect(await interrupt()).toEqual([]);
    await isWell();
    expect(await interrupt()).toEqual([]);
    expect(await client.events(session)).toHaveLength(2);
  });

  it('whose session is deleted ends within 1 s, and nothing is left of it', async () => {
    const stream = await sayHeld('deleted', 'text');
    await stream.upTo('streaming_agent_output');
    const path = `/v2/agents/talker/sessions/${session.session}`;
    const { status, ms } = await client.send({ method: 'DELETE', path });
    expect(status).toBe(204);
    expect(ms).toBeLessThan(1_000);
    expect(types(await stream.all()).at(-1)).toBe('end');
    await until('the request is broken off', () => model.brokenOff.includes('deleted'), 1_000);
    expect((await client.send({ path })).status).toBe(404);
    expect((await client.send({ path: eventsOf(session) })).status).toBe(404);
    expect((await client.say(session, 'anybody?')).status).toBe(404);
    await client.makeSession('talker', session.session);
    expect(await client.events(session)).toEqual([]);
    await isWell();
  });

  it('cannot be had from a session or an agent that is disabled; one that is under way goes on', async () => {
    const path = `/v2/agents/talker/sessions/${session.session}`;
    for (const target of [path, '/v2/agents/talker']) {
      const stream = await sayHeld('under way', 'text');
      await stream.upTo('streaming_agent_output');
      await client.ask({ method: 'PATCH', path: target, body: { enabled: false } });
      model.letGo();
      expect(types(await stream.all())).toContain('streaming_agent_output_end');
      expect((await client.say(session, 'no')).status).toBe(409);
      expect((await client.say(session, 'no', { since: 'start' })).status).toBe(409);
      await client.ask({ method: 'PATCH', path: target, body: { enabled: true } });
      await isWell();
    }
  });

  it('that takes longer than its request may is stopped: 504, or an error and the end of the stream', async () => {
    model.hold = () => true;
    const headers = { 'request-timeout-millis': '300' };
    const messages = [{ type: 'text', content: 'slow' }];
    const request = { method: 'POST', path: eventsOf(session), headers };
    const whole = await client.send({ ...request, body: { messages } });
    expect(whole.status).toBe(504);
    const streamed = await client.send({ ...request, body: { messages, stream_response: true } });
    expect(streamed.status).toBe(201);
    expect(streamed.text).toMatch(/"type":"error"[^\n]*\n\ndata: \{"type":"end"\}\n\n$/);
    await until('both are over', async () => (await client.events(session)).length === 4, 2_000);
    await isWell();
  });

  it('that is not streamed is answered with what it has left', async () => {
    const messages = [{ type: 'text', content: 'all at once' }];
    const answer = await client.ask({ method: 'POST', path: eventsOf(session), body: { messages } });
    expect(answer).toEqual({ events: await client.events(session), session_key: session.session });
    expect(await client.events(session)).toMatchObject([
      { type: 'input_message', messages },
      { type: 'agent_output', content: 'You said: "all at once" ✓' },
    ]);
  });
});
