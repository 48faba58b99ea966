import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Outbound } from '@parley/outbound';
import { Circuits } from '../circuits.js';
import { ProviderTable } from '../provider/provider.js';
import { Providers } from '../provider/providers.js';
import { Embedder } from './embedder.js';
import { type EmbedOutcome, type EmbedRequest } from './embed-outcome.js';

type Asked = { input: string[] } & Record<string, unknown>;
type Serve = (asked: Asked, response: ServerResponse, request: IncomingMessage) => unknown;

const answering =
  (body: unknown, status = 200): Serve =>
  (_asked, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const listing = (...embeddings: unknown[]): unknown => ({
  data: embeddings.map((embedding, index) => ({ index, embedding })),
});
/** Each text's vector is its length and 1. */
const lengths: Serve = (asked, ...response) =>
  answering(listing(...asked.input.map((text) => [text.length, 1])))(asked, ...response);

describe('vectors of texts', () => {
  const outbound = new Outbound();
  let serve: Serve;
  let asked: Asked[];
  let idleMs: number;
  let providers: Providers;
  const server = http.createServer((request, response) => {
    void json(request).then((body) => {
      asked.push(body as Asked);
      serve(body as Asked, response, request);
    });
  });

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/?api-version=1`;
    const models = { three: { dimensions: 3, price: { input: 2, cachedInput: 2, output: 0 } } };
    const table = { default: 'p', providers: { p: { baseUrl, apiKey: 'sk-secret-key', models } } };
    providers = new Providers(ProviderTable.parse(table));
  });
  beforeEach(() => {
    asked = [];
    idleMs = 10_000;
  });
  afterAll(() => {
    outbound.close();
    server.closeAllConnections();
    server.close();
  });

  const embed = (texts: string[], over: Partial<EmbedRequest> = {}, circuits = new Circuits()): Promise<EmbedOutcome> =>
    new Embedder(outbound, providers, circuits, { idleMs, answerBytes: 100_000 }).embed({
      handle: 'p/m',
      texts,
      signal: new AbortController().signal,
      ...over,
    });
  const vectors = (outcome: EmbedOutcome): number[][] | undefined =>
    outcome.ok ? outcome.embedded.vectors.map((vector) => [...vector]) : undefined;
  const failed = (outcome: EmbedOutcome): object | undefined => (outcome.ok ? undefined : outcome.failure);

  it('are asked for as numbers, at the address of the provider, with its key', async () => {
    let seen: IncomingMessage | undefined;
    serve = (body, response, request) => {
      seen = request;
      lengths(body, response, request);
    };
    expect(vectors(await embed(['a', 'bcd']))).toEqual([
      [1, 1],
      [3, 1],
    ]);
    expect(asked).toEqual([{ model: 'm', input: ['a', 'bcd'], encoding_format: 'float' }]);
    expect(seen?.url).toBe('/v1/embeddings?api-version=1');
    expect(seen?.headers).toMatchObject({ authorization: 'Bearer sk-secret-key', accept: 'application/json' });
  });

  it('are sent in portions, and come back in the order of the texts', async () => {
    serve = lengths;
    const texts = Array.from({ length: 150 }, (_, at) => 'x'.repeat(at + 1));
    expect(vectors(await embed(texts))).toEqual(texts.map((text) => [text.length, 1]));
    expect(asked.map(({ input }) => input.length)).toEqual([64, 64, 22]);
  });

  it('of long texts go in portions that a provider takes', async () => {
    serve = lengths;
    await embed(['a'.repeat(200_000), 'b'.repeat(200_000), 'c'.repeat(300_000), 'd']);
    expect(asked.map(({ input }) => input.length)).toEqual([1, 1, 1, 1]);
  });

  it('are put in order by their index', async () => {
    serve = answering({ data: [{ index: 1, embedding: [2] }, { index: 0, embedding: [1] }] }); // prettier-ignore
    expect(vectors(await embed(['a', 'b']))).toEqual([[1], [2]]);
  });

  it('without index are in the order of the texts', async () => {
    serve = answering({ data: [{ embedding: [1] }, { embedding: [2] }] });
    expect(vectors(await embed(['a', 'b']))).toEqual([[1], [2]]);
  });

  it('may come as base64 of floats although numbers were asked for', async () => {
    serve = answering(listing(Buffer.from(new Float32Array([0.5, -2]).buffer).toString('base64')));
    expect(vectors(await embed(['a']))).toEqual([[0.5, -2]]);
  });

  it('are as long as was asked for', async () => {
    serve = answering(listing([1, 2]));
    expect(vectors(await embed(['a'], { dimensions: 2 }))).toEqual([[1, 2]]);
    expect(asked[0]).toMatchObject({ dimensions: 2 });
    expect(failed(await embed(['a'], { dimensions: 3 }))).toMatchObject({ code: 'bad_response' });
  });

  it('cost what the provider tells by the price of the model, over all portions', async () => {
    serve = (body, ...response) =>
      answering({
        data: body.input.map(() => ({ embedding: [1, 2, 3] })),
        model: 'three-v1',
        usage: { prompt_tokens: 250_000, total_tokens: 250_000 },
      })(body, ...response);
    const outcome = await embed(Array<string>(65).fill('a'), { handle: 'p/three' });
    expect(outcome.ok && outcome.embedded).toMatchObject({
      model: 'p/three-v1',
      usage: { input: 500_000, output: 0, estimated: false, costUsd: 1 },
    });
  });

  it('whose provider does not tell their cost are estimated by the size of the texts', async () => {
    serve = answering(listing([1]));
    const outcome = await embed(['twelve bytes']);
    expect(outcome.ok && outcome.embedded.usage).toMatchObject({ input: 3, output: 0, estimated: true });
  });

  it.each([
    ['no list', { data: null }],
    ['nothing', {}],
    ['no object', [1]],
    ['too few', listing([1])],
    ['too many', listing([1], [2], [3])],
    [
      'one index twice',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [2] },
        ],
      },
    ],
    [
      'an index beyond them',
      {
        data: [
          { index: 1, embedding: [1] },
          { index: 2, embedding: [2] },
        ],
      },
    ],
    ['two lengths', listing([1], [1, 2])],
    ['an empty one', listing([], [])],
    ['zeros', listing([0, 0], [1, 1])],
    ['text that is no number', listing(['1'], ['2'])],
    ['null', listing(null, [1])],
    ['a number that is none', listing([1], [null])],
    ['a number too large', listing([1], [1e300])],
    ['base64 of half a float', listing('AAAAAAA=', 'AAAAAAA=')],
    ['no base64', listing('*', '*')],
  ])('that are %s are a bad response', async (_what, body) => {
    serve = answering(body);
    expect(failed(await embed(['a', 'b']))).toMatchObject({ code: 'bad_response', retryable: true });
  });

  it('of a length that the model does not make are a bad response', async () => {
    serve = answering(listing([1, 2]));
    expect(failed(await embed(['a'], { handle: 'p/three' }))).toMatchObject({ code: 'bad_response' });
  });

  it('of another length than those before them are a bad response, which tells what was spent', async () => {
    serve = (body, ...response) =>
      answering({
        data: body.input.map(() => ({ embedding: asked.length === 1 ? [1] : [1, 2] })),
        usage: { prompt_tokens: 7 },
      })(body, ...response);
    const failure = failed(await embed(Array<string>(65).fill('four')));
    expect(failure).toMatchObject({ code: 'bad_response', usage: { input: 8, estimated: true } });
  });

  it.each([
    [400, { error: { message: 'maximum context length is 8192 tokens' } }, 'context_length', false],
    [401, { error: { message: 'Incorrect API key provided: sk-secret-key' } }, 'auth', false],
    [404, { error: { message: 'no such model', code: 'model_not_found' } }, 'not_found', false],
    [429, { error: { code: 'insufficient_quota' } }, 'quota', false],
    [429, { error: { code: 'rate_limit_exceeded' } }, 'rate_limited', true],
    [503, 'busy', 'overloaded', true],
    [200, { error: { message: 'out of memory', code: 500 } }, 'server_error', true],
  ])('that are refused with %i %j fail as %s', async (status, body, code, retryable) => {
    serve = answering(body, status);
    const failure = failed(await embed(['a']));
    expect(failure).toMatchObject({ code, retryable });
    expect(JSON.stringify(failure)).not.toContain('sk-secret-key');
  });

  it('that are refused for a while say how long', async () => {
    serve = (_asked, response) => response.writeHead(429, { 'retry-after': '7' }).end();
    expect(failed(await embed(['a']))).toMatchObject({ code: 'rate_limited', retryAfterMs: 7_000 });
  });

  it('that are larger than the limit are not read to their end', async () => {
    serve = answering(listing(Array(60_000).fill(1)));
    expect(failed(await embed(['a']))).toMatchObject({ code: 'too_large', retryable: false });
  });

  it('that do not come fail when it was silent for too long, before the answer and within it', async () => {
    idleMs = 2_000;
    serve = () => undefined;
    expect(failed(await embed(['a']))).toMatchObject({ code: 'timeout', usage: null });
    serve = (_asked, response) => response.writeHead(200).write('{"data":[');
    expect(failed(await embed(['a']))).toMatchObject({ code: 'timeout', usage: { input: 1, estimated: true } });
  });

  it('that break off are incomplete', async () => {
    serve = (_asked, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"data":[');
      setImmediate(() => response.socket?.resetAndDestroy());
    };
    expect(failed(await embed(['a']))).toMatchObject({ code: 'incomplete', retryable: true });
  });

  it('that nobody wants any more end at once', async () => {
    const stop = new AbortController();
    serve = () => stop.abort();
    expect(failed(await embed(['a'], { signal: stop.signal }))).toMatchObject({ code: 'aborted' });
    expect(failed(await embed(['a'], { signal: stop.signal }))).toMatchObject({ code: 'aborted' });
    expect(asked).toHaveLength(1);
  });

  it('are not asked of a provider that fails again and again, whoever has found that out', async () => {
    const circuits = new Circuits();
    serve = answering({}, 500);
    for (let failures = 0; failures < 5; failures++) await embed(['a'], {}, circuits);
    expect(failed(await embed(['a'], {}, circuits))).toMatchObject({ code: 'circuit_open', retryable: true });
    expect(asked).toHaveLength(5);
    expect(circuits.of('p').pauseMs).toBeGreaterThan(0);
  });

  it.each([
    [[], 'texts: there are none'],
    [['a', ' '], 'texts[1]: is empty'],
  ])('of %j are refused before anybody is asked', async (texts, message) => {
    await expect(embed(texts)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(message),
    });
    expect(asked).toEqual([]);
  });

  it('of a handle that names no model are not found', async () => {
    expect(failed(await embed(['a'], { handle: 'p/' }))).toMatchObject({ code: 'not_found', retryable: false });
  });
});
