import { type Frame, type SessionKeys, wordsOf } from '../client/wire.js';
import { StubModel, wordsOf as sentWords } from '../model/stub-model.js';
import { DataFolder } from '../product/data-folder.js';
import { RestartedProduct } from '../product/restarted-product.js';

const MB = 1_000_000;
/** What tells where it stands, with characters of one to four bytes. */
const long = (units: number): string => {
  const lines = Array.from({ length: Math.ceil(units / 16) }, (_, n) => `${n} ü € 😀 "\n`.padStart(16));
  return (
    lines
      .join('')
      .slice(0, units - 1)
      .toWellFormed() + '.'
  );
};
/** Not compared by Jest, which would print megabytes. */
const same = (a: string | undefined, b: string): boolean => a === b;
const spoken = (frames: Frame[]): string =>
  frames.map(({ event }) => (event.type === 'streaming_agent_output' ? event.content : '')).join('');

describe('words of 10 MB, said and answered', () => {
  const words = long(10 * MB);
  const answer = `You said: "${words}" ✓`;
  let folder: DataFolder;
  let model: StubModel;
  let parley: RestartedProduct;
  let session: SessionKeys;
  let streamed: Frame[];

  beforeAll(async () => {
    folder = new DataFolder();
    model = new StubModel();
    const env = { OPENAI_BASE_URL: await model.listen(), OPENAI_API_KEY: 'sk-odd-secret', OPENAI_MODEL: 'odd-large' };
    parley = new RestartedProduct(folder, env);
    await parley.start();
    const client = await parley.client();
    session = await client.makeSession(await client.makeAgent('listener', 'odd-large'), 'long');
    streamed = await (await client.say(session, words)).all();
  }, 240_000);
  afterAll(async () => {
    await parley.stop();
    await model.close();
    folder.remove();
  });

  it('reach the model whole, and its answer is streamed whole', () => {
    expect(model.requests).toHaveLength(1);
    expect(same(sentWords(model.requests[0]?.body.messages.at(-1)), words)).toBe(true);
    expect(streamed.at(-1)?.event.type).toBe('end');
    expect(same(spoken(streamed), answer)).toBe(true);
  });

  it('are listed, each on a page of its own', async () => {
    const client = await parley.client();
    const path = `/v2/agents/${session.agent}/sessions/${session.session}/events?limit=100`;
    const page = await client.ask<{ events: unknown[]; metadata: { page_key?: string } }>({ path });
    expect(page.events).toHaveLength(1);
    expect(page.metadata.page_key).toBeDefined();
    const [input, output, ...others] = await client.events(session);
    expect(others).toEqual([]);
    expect(input && same(wordsOf(input).join(), words)).toBe(true);
    expect(same(output?.content, answer)).toBe(true);
  });

  it('are the same for a client that comes after the product was killed, frame by frame', async () => {
    await parley.killAndStart(0);
    const client = await parley.client();
    const replayed = await (await client.listen(session)).all();
    expect(replayed.map(({ id }) => id)).toEqual(streamed.map(({ id }) => id));
    expect(replayed.every(({ data }, index) => same(streamed[index]?.data, data))).toBe(true);
  }, 120_000);

  it('are told to the model with the next turn, by a process that has never seen them', async () => {
    const client = await parley.client();
    await (await client.say(session, 'And now?')).all();
    const told = model.requests[1]?.body.messages.slice(-3).map(sentWords) ?? [];
    expect(told.map((one, index) => same(one, [words, answer, 'And now?'][index] ?? ''))).toEqual([true, true, true]);
  }, 120_000);

  it('reach a turn that is under way, whole and once', async () => {
    const client = await parley.client();
    const place = await client.makeSession(session.agent, 'steered');
    model.holdWords('Begin', 'text');
    const before = model.requests.length;
    const first = await client.say(place, 'Begin');
    await first.upTo('streaming_agent_output');
    // Read all the while: a client that does not take 10 MB in time is cut off, to come back.
    const told = first.all();
    const steering = await client.say(place, words, { since: 'start', behavior: 'steer' });
    model.letGo();
    await Promise.all([told, steering.all()]);
    const asked = model.requests.slice(before).map(({ body }) => body.messages.map(sentWords));
    expect(asked.map((messages) => messages.filter((one) => same(one, words)).length)).toEqual([0, 1]);
    const inputs = (await client.events(place)).filter(({ type }) => type === 'input_message').map(wordsOf);
    expect(inputs.map((one) => one.length)).toEqual([1, 1]);
    expect(same(inputs[1]?.[0], words)).toBe(true);
  }, 120_000);

  it('are refused where they are larger than a body may be', async () => {
    const client = await parley.client();
    const refused = await client.send({
      method: 'POST',
      path: `/v2/agents/${session.agent}/sessions/${session.session}/events`,
      body: { messages: [{ type: 'text', content: 'x'.repeat(17 * MB) }] },
    });
    expect(refused.status).toBe(413);
    expect(refused.text).toContain('larger than this path takes');
  });

  it('go with their session', async () => {
    const client = await parley.client();
    const path = `/v2/agents/${session.agent}/sessions/${session.session}`;
    await client.ask({ method: 'DELETE', path });
    expect((await client.send({ path: `${path}/events` })).status).toBe(404);
  });
});
