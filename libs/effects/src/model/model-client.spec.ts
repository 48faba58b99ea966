import { getEventListeners, once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CallId, newId, textOf } from '@parley/core';
import { Outbound } from '@parley/outbound';
import { type ModelLimits } from './exchange.js';
import { ModelClient } from './model-client.js';
import { type ModelDelta, type ModelOutcome, type ModelRequest } from './model-outcome.js';
import { ProviderTable } from './provider/provider.js';
import { Providers } from './provider/providers.js';

const KEY = 'sk-canary-0123456789';
const IDS = [newId(CallId), newId(CallId)];
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const fixture = (name: string): Buffer => readFileSync(new URL(`fixtures/${name}.sse`, import.meta.url));

type Serve = (response: ServerResponse, request: IncomingMessage) => unknown;

describe('callModel', () => {
  const outbound = new Outbound();
  let serve: Serve;
  let connections = 0;
  let closed: Promise<unknown> = Promise.resolve();
  let base = '';
  const server = http.createServer((request, response) => {
    closed = new Promise((done) => request.socket.once('close', done));
    serve(response, request);
  });

  beforeAll(async () => {
    server.on('connection', () => connections++);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => {
    outbound.close();
    server.closeAllConnections();
    server.close();
  });

  interface Asked extends Partial<ModelRequest> {
    baseUrl?: string;
    limits?: Partial<ModelLimits>;
  }
  const ask = ({ baseUrl = base, limits = {}, ...request }: Asked = {}): Promise<ModelOutcome> => {
    const table = ProviderTable.parse({ default: 'stub', providers: { stub: { baseUrl, apiKey: KEY } } });
    return new ModelClient(outbound, new Providers(table), limits).callModel({
      handle: 'stub/some-model',
      instructions: 'Be kind.',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi', origin: 'user' }] }],
      parameters: { temperature: 0 },
      callId: (index) => IDS[index] ?? newId(CallId),
      signal: new AbortController().signal,
      onDelta: () => undefined,
      ...request,
    });
  };
  const events =
    (bytes: string | Buffer): Serve =>
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.end(bytes);
    };
  const answers =
    (status: number, body: string, headers: object = {}): Serve =>
    (response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body);
    };
  /** What the reply says, or the code of the failure. */
  const seen = (outcome: ModelOutcome): unknown => {
    if (!outcome.ok) return outcome.failure.code;
    const said = outcome.reply.parts.map((part) => (part.type === 'call' ? [part.name, part.arguments] : textOf(part)));
    return [...said, outcome.reply.finish];
  };
  const failureOf = async (asked?: Asked): Promise<Extract<ModelOutcome, { ok: false }>['failure']> => {
    const outcome = await ask(asked);
    if (outcome.ok) throw new Error('the call succeeded');
    return outcome.failure;
  };

  test('sends the conversation, the parameters and the key', async () => {
    let got: unknown;
    serve = (response, request) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        got = [
          request.method,
          request.url,
          request.headers.authorization,
          request.headers['accept-encoding'],
          JSON.parse(Buffer.concat(pieces).toString()),
        ];
        events(chunk({ content: 'ok' }, 'stop'))(response, request);
      });
    };
    await ask();
    expect(got).toEqual([
      'POST',
      '/v1/chat/completions',
      `Bearer ${KEY}`,
      'identity',
      {
        model: 'some-model',
        temperature: 0,
        stream: true,
        stream_options: { include_usage: true },
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'hi' },
        ],
      },
    ]);
  });

  const outcomes: [string, unknown][] = [
    ['openai-text', ['Hello, wörld 😀', 'stop']],
    ['openai-two-calls', [['get_weather', '{"city":"Oslo"}'], ['get_time', '{"zone":"CET"}'], 'calls']],
    ['openai-refusal', ["I'm sorry, I can't help with that.", 'filtered']],
    ['azure-empty-first-chunk', ['Hi', 'stop']],
    ['deepseek-reasoning', ['Six times seven.', 'It is 42', 'stop']],
    ['gemini-calls-without-index', [['get_weather', '{"city":"Oslo"}'], ['get_weather', '{"city":"Rome"}'], 'calls']],
    ['ollama-calls-on-one-index', [['add', '{"a":1}'], ['add', '{"a":2}'], 'calls']],
    ['vllm-running-usage', ['one two', 'stop']],
    ['no-done-no-usage', ['hi', 'stop']],
    ['no-finish', ['hi', 'stop']],
    ['length', ['Once upon', 'length']],
    ['filtered', ['filtered']],
    ['sse-in-all-its-forms', ['hi there', 'stop']],
    ['two-choices', ['hi', 'stop']],
    ['text-after-done', ['hi', 'stop']],
    ['broken-bytes', ['a\uFFFD\uFFFDb\uFFFD😀 \uFFFD\uFFFD', 'stop']],
    ['finish-calls-without-call', 'empty'],
    ['openrouter-error-midway', 'rate_limited'],
    ['named-error-event', 'overloaded'],
    ['cut-off', 'incomplete'],
  ];
  describe.each(outcomes)('makes of the stream %s', (name, expected) => {
    test.each<[string, Serve]>([
      ['whole', events(fixture(name))],
      [
        'byte by byte',
        (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          for (const byte of fixture(name)) response.write(Buffer.from([byte]));
          response.end();
        },
      ],
    ])('its outcome, %s', async (_, how) => {
      serve = how;
      const heard: string[] = [];
      const outcome = await ask({ onDelta: ({ part, text }) => (heard[part] = (heard[part] ?? '') + text) });
      expect(seen(outcome)).toEqual(expected);
      if (outcome.ok) {
        const texts = outcome.reply.parts.flatMap((part) => textOf(part) ?? []);
        expect(heard).toEqual(texts);
      }
    });
  });

  test('says which model answered, what it cost, and gives calls the ids of the caller', async () => {
    serve = events(fixture('openai-two-calls'));
    expect(await ask()).toMatchObject({
      ok: true,
      reply: {
        model: 'stub/gpt-4o-mini-2024-07-18',
        usage: { input: 19, cachedInput: 8, output: 5, reasoning: 0, estimated: false },
        parts: [
          { type: 'call', id: IDS[0], origin: 'model' },
          { type: 'call', id: IDS[1], origin: 'model' },
        ],
      },
    });
  });

  test.each([
    ['deepseek-reasoning', { input: 12, cachedInput: 4, output: 30, reasoning: 26, estimated: false }],
    ['vllm-running-usage', { input: 11, cachedInput: 0, output: 3, reasoning: 0, estimated: false }],
    ['no-done-no-usage', { input: 44, cachedInput: 0, output: 1, reasoning: 0, estimated: true }],
  ])('counts the last report of %s, or estimates and says so', async (name, usage) => {
    serve = events(fixture(name));
    expect(await ask()).toMatchObject({ ok: true, reply: { usage } });
  });

  test.each([
    ['null', null],
    ['zero', { prompt_tokens: 0, completion_tokens: 0 }],
    ['nonsense', { prompt_tokens: 'many', completion_tokens: -1 }],
    ['beyond all numbers', { prompt_tokens: 1e300, completion_tokens: 1 }],
    ['for the prompt alone', { prompt_tokens: 9, completion_tokens: 0 }],
  ])('estimates a usage that is %s', async (_, usage) => {
    serve = events(`${chunk({ content: 'ok' }, 'stop')}data: ${JSON.stringify({ choices: [], usage })}\n\n${DONE}`);
    expect(await ask()).toMatchObject({ ok: true, reply: { usage: { input: 44, output: 1, estimated: true } } });
  });

  test.each([
    [
      'the choice',
      { choices: [{ delta: {}, finish_reason: 'stop', usage: { prompt_tokens: 7, completion_tokens: 3 } }] },
    ],
    ['a field of the provider', { choices: [], x_groq: { usage: { prompt_tokens: 7, completion_tokens: 3 } } }],
  ])('finds the usage in %s', async (_, last) => {
    serve = events(`${chunk({ content: 'ok' }, 'stop')}data: ${JSON.stringify(last)}\n\n${DONE}`);
    expect(await ask()).toMatchObject({ ok: true, reply: { usage: { input: 7, output: 3, estimated: false } } });
  });

  test.each([
    ['length', 'length'],
    ['max_output_tokens', 'length'],
    ['content_filter', 'filtered'],
    ['RECITATION', 'filtered'],
    ['eos_token', 'stop'],
    ['model_context_window_exceeded', 'length'],
    ['sensitive', 'filtered'],
    ['constructor', 'stop'],
  ])('keeps the first word for why it stopped, %s, when a stop follows', async (word, finish) => {
    serve = events(chunk({ content: 'half' }, word) + chunk({}, 'stop') + DONE);
    expect(await ask()).toMatchObject({ ok: true, reply: { finish } });
  });

  test('estimates a usage of zero also where nothing was said', async () => {
    const usage = { prompt_tokens: 0, completion_tokens: 0 };
    serve = events(`${chunk({}, 'content_filter')}data: ${JSON.stringify({ choices: [], usage })}\n\n${DONE}`);
    expect(await ask()).toMatchObject({ ok: true, reply: { usage: { input: 44, output: 0, estimated: true } } });
  });

  test('says the asked model where the provider says none, and never what cannot be stored', async () => {
    const models: unknown[] = [];
    for (const model of [undefined, '', null, 'a\0b', 'x'.repeat(300)]) {
      serve = events(
        `data: ${JSON.stringify({ model, choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] })}\n\n`,
      );
      const outcome = await ask();
      models.push(outcome.ok && outcome.reply.model);
    }
    const asked = 'stub/some-model';
    expect(models).toEqual([asked, asked, asked, 'stub/a\uFFFDb', `stub/${'x'.repeat(200)}`]);
  });

  test('leaves no listener on the signal behind', async () => {
    serve = events(chunk({ content: 'hi' }, 'stop') + DONE);
    const { signal } = new AbortController();
    await ask({ signal });
    await sleep(20);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('takes a whole answer from a provider that does not stream', async () => {
    const message = {
      role: 'assistant',
      content: 'hi',
      tool_calls: [{ id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }],
    };
    serve = answers(200, JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }));
    expect(seen(await ask())).toEqual(['hi', ['f', '{}'], 'calls']);
  });

  describe('hands over text as it comes', () => {
    test('joined by what one tick brought, before the answer ends', async () => {
      const deltas: ModelDelta[] = [];
      let go: () => void = () => undefined;
      const first = new Promise<void>((done) => (go = done));
      serve = (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(
          chunk({ reasoning: 'h' }) + chunk({ reasoning: 'm' }) + chunk({ content: 'a' }) + chunk({ content: 'b' }),
        );
        void first.then(() => response.end(chunk({ content: 'c' }) + chunk({ content: 'd' }, 'stop') + DONE));
      };
      const outcome = await ask({
        onDelta: (delta) => {
          deltas.push(delta);
          if (delta.type === 'text') go();
        },
      });
      expect(seen(outcome)).toEqual(['hm', 'abcd', 'stop']);
      expect(deltas).toEqual([
        { part: 0, type: 'reasoning', text: 'hm' },
        { part: 1, type: 'text', text: 'ab' },
        { part: 1, type: 'text', text: 'cd' },
      ]);
    });

    test('and nothing once the outcome is there', async () => {
      let late = 0;
      let over = false;
      serve = events(chunk({ content: 'half' }) + 'data: {"error":"broke"}\n\n');
      await ask({ onDelta: () => (late += over ? 1 : 0) });
      over = true;
      await sleep(20);
      expect(late).toBe(0);
    });

    test('and a listener that throws ends the call and its connection, and throws to the caller', async () => {
      serve = (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chunk({ content: 'a' }));
      };
      const broken = ask({
        onDelta: () => {
          throw new RangeError('mine');
        },
      });
      await expect(broken).rejects.toThrow('mine');
      await closed;
    });
  });

  describe('uses a connection again', () => {
    test.each<[string, Serve]>([
      ['after an answer that ended', events(chunk({ content: 'hi' }, 'stop') + DONE)],
      [
        'after an answer that ends a little later than it says',
        (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(chunk({ content: 'hi' }, 'stop') + DONE);
          setTimeout(() => response.end(': bye\n\n'), 20);
        },
      ],
      ['after a refusal', answers(429, '{}')],
    ])('%s', async (_, how) => {
      serve = how;
      await ask();
      await sleep(60);
      const before = connections;
      await ask();
      expect(connections).toBe(before);
      await sleep(60);
    });
  });

  test('does not wait for a provider that keeps the stream open after its end', async () => {
    serve = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ content: 'hi' }, 'stop') + DONE);
    };
    const started = performance.now();
    expect(seen(await ask())).toEqual(['hi', 'stop']);
    expect(performance.now() - started).toBeLessThan(500);
    await closed;
  });

  describe('an abort', () => {
    const midway: Serve = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ content: 'half' }));
    };

    test('before the call asks nobody', async () => {
      let asked = 0;
      serve = () => asked++;
      expect(await failureOf({ signal: AbortSignal.abort() })).toMatchObject({ code: 'aborted', usage: null });
      expect(asked).toBe(0);
    });

    test('keeps account of what was said until then', async () => {
      const stop = new AbortController();
      serve = midway;
      const failure = await failureOf({ signal: stop.signal, onDelta: () => stop.abort() });
      expect(failure).toMatchObject({ code: 'aborted', usage: { input: 44, output: 1, estimated: true } });
    });
  });

  describe('silence', () => {
    const limits = { idleMs: 150 };
    const dripping =
      (text: string, everyMs: number): Serve =>
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chunk({ content: 'a' }));
        const drip = setInterval(() => response.write(text), everyMs);
        response.on('close', () => clearInterval(drip));
        setTimeout(() => response.end(chunk({ content: 'b' }, 'stop')), 500);
      };

    test.each<[string, Serve]>([
      ['before the head', () => undefined],
      ['after the head', (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()],
      ['after a chunk', (response) => response.writeHead(200).write(chunk({ content: 'a' }))],
      ['of a refusal', (response) => response.writeHead(500).write('{')],
      ['but for a drip of bytes', dripping('x', 20)],
    ])('%s ends the call and closes the connection', async (_, how) => {
      serve = how;
      const started = performance.now();
      expect(await failureOf({ limits })).toMatchObject({ code: 'timeout', retryable: true });
      expect(performance.now() - started).toBeLessThan(1_000);
      await closed;
    });

    test('is broken by comments: a slow answer is not cut', async () => {
      serve = dripping(': ping\n\n', 50);
      expect(seen(await ask({ limits }))).toEqual(['ab', 'stop']);
    });

    test('is counted anew from the head of the answer', async () => {
      serve = (response) => {
        setTimeout(() => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(), 100);
        setTimeout(() => response.end(chunk({ content: 'hi' }, 'stop')), 200);
      };
      expect(seen(await ask({ limits }))).toEqual(['hi', 'stop']);
    });

    test('after the model has said why it stopped loses nothing', async () => {
      serve = (response) => response.writeHead(200).write(chunk({ content: 'hi' }, 'stop'));
      expect(seen(await ask({ limits }))).toEqual(['hi', 'stop']);
    });
  });

  describe('a connection that breaks', () => {
    const breaking =
      (bytes: string): Serve =>
      (response, request) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(bytes);
        setTimeout(() => request.socket.resetAndDestroy(), 20);
      };

    test('in the middle makes the answer incomplete', async () => {
      serve = breaking(chunk({ content: 'half' }));
      expect(await failureOf()).toMatchObject({ code: 'incomplete', retryable: true, usage: { estimated: true } });
    });

    test('behind the whole answer loses nothing', async () => {
      serve = breaking(chunk({ content: 'hi' }, 'stop'));
      expect(seen(await ask())).toEqual(['hi', 'stop']);
    });

    test('before the answer makes it incomplete', async () => {
      serve = (_, request) => request.socket.resetAndDestroy();
      expect(await failureOf()).toMatchObject({ code: 'incomplete', usage: null });
    });

    test('in the middle of an event is no broken event', async () => {
      serve = events(chunk({ content: 'half' }) + chunk({ content: 'more' }).slice(0, 40));
      expect(seen(await ask())).toBe('incomplete');
    });

    test('that cannot be made makes the provider unreachable', async () => {
      expect(await failureOf({ baseUrl: 'http://127.0.0.1:1/v1' })).toMatchObject({
        code: 'unreachable',
        retryable: true,
        message: 'stub: no connection to 127.0.0.1:1 (ECONNREFUSED)',
      });
    });
  });

  describe('takes nothing odd for an answer', () => {
    test.each<[string, Serve, string]>([
      ['a JSON error', answers(200, '{"error":{"message":"no","code":"rate_limit_exceeded"}}'), 'rate_limited'],
      ['JSON that is no completion', answers(200, '{"status":"fine"}'), 'incomplete'],
      ['what claims to be JSON', answers(200, 'hello'), 'bad_response'],
      ['a web page', answers(200, '<html></html>', { 'content-type': 'text/html' }), 'bad_response'],
      ['an empty stream', events(''), 'bad_response'],
      ['an empty body', answers(200, ''), 'bad_response'],
      ['no content', answers(204, ''), 'bad_response'],
      ['comments only', events(': a\n\n: b\n\n'), 'bad_response'],
      ['[DONE] alone', events(DONE), 'bad_response'],
      ['[DONE] after nothing', events(chunk({ role: 'assistant' }) + DONE), 'incomplete'],
      ['a stop after nothing', events(chunk({ role: 'assistant' }, 'stop') + DONE), 'empty'],
      ['reasoning alone', events(chunk({ reasoning_content: 'hm' }, 'stop') + DONE), 'empty'],
      ['an event that is not JSON', events(`${chunk({ content: 'a' })}data: {oops\n\n${DONE}`), 'bad_response'],
      ['words and no object', events(`data: 7\n\ndata: ping\n\n${DONE}`), 'bad_response'],
      ['words without end', events(chunk({ content: 'a' }) + 'data: ping\n\n'.repeat(10_001)), 'bad_response'],
      ['an event that is a list', events(`data: [{"choices":[]},{"choices":[]}]\n\n${DONE}`), 'bad_response'],
      ['content that is no text', events(chunk({ content: { a: 1 } }, 'stop')), 'bad_response'],
      ['calls that are no list', events(chunk({ tool_calls: { a: 1 } }, 'stop')), 'bad_response'],
      ['a reason that nobody knows, and nothing else', events(chunk({}, 'constructor')), 'bad_response'],
      ['an error that is text', events(`${chunk({ content: 'a' })}data: {"error":"broke"}\n\n`), 'server_error'],
      [
        'an error after the end',
        events(`${chunk({ content: 'a' }, 'stop')}data: {"error":"broke"}\n\n`),
        'server_error',
      ],
      ['an answer that is packed', answers(200, '{"choices":[]}', { 'content-encoding': 'gzip' }), 'bad_response'],
      ['a stop that is an abort', events(chunk({ content: 'a' }, 'abort')), 'server_error'],
      ['a stop for want of resources', events(chunk({ content: 'a' }, 'insufficient_system_resource')), 'overloaded'],
      ['a redirect', answers(308, '', { location: 'https://elsewhere.example/' }), 'not_found'],
    ])('not %s', async (_, how, code) => {
      serve = how;
      expect((await failureOf()).code).toBe(code);
    });

    test.each([
      ['of vLLM', { object: 'error', message: 'Boom', type: 'InternalServerError', code: 500 }],
      ['that calls itself one', { type: 'error', message: 'Boom' }],
      ['that is a message and a code', { code: 500, message: 'Boom' }],
      ['that is a detail', { detail: 'Boom' }],
      ['that is one of a list', { errors: [{ message: 'Boom' }] }],
      ['that is a msg', { code: 500, msg: 'Boom' }],
    ])('not an error %s, after text and before [DONE] or alone, and tells what it says', async (_, error) => {
      for (const before of ['', chunk({ content: 'half' })]) {
        serve = events(`${before}data: ${JSON.stringify(error)}\n\n${DONE}`);
        const { code, message } = await failureOf();
        expect(code).toBe('server_error');
        expect(message).toContain('Boom');
      }
    });

    test.each(['application/json', 'application/problem+json'])('not an error of type %s', async (type) => {
      serve = answers(200, '{"detail":"Boom"}', { 'content-type': type });
      expect((await failureOf()).message).toContain('Boom');
    });

    test('and hangs up on it', async () => {
      serve = (response) => response.writeHead(200).write('data: {oops\n\n');
      expect((await failureOf()).code).toBe('bad_response');
      await closed;
    });

    test('not what is larger than its limit, in one event, in all, or in one piece', async () => {
      const limits = { eventBytes: 1_000, answerBytes: 5_000 };
      const codes: unknown[] = [];
      for (const how of [
        events(chunk({ content: 'x'.repeat(2_000) })),
        events(chunk({ content: 'x'.repeat(500) }).repeat(20)),
        answers(200, JSON.stringify({ choices: [], filler: 'x'.repeat(9_000) })),
      ]) {
        serve = how;
        codes.push((await failureOf({ limits })).code);
      }
      expect(codes).toEqual(['too_large', 'too_large', 'too_large']);
    });
  });

  describe('a refusal', () => {
    test.each([
      [{ 'retry-after': '2' }],
      [{ 'retry-after': '2', 'x-ratelimit-reset-requests': '6m0s' }],
      [{ 'x-ratelimit-reset-requests': '2s' }],
    ])('tells the code, what the provider said and how long to wait by %j', async (headers) => {
      serve = answers(429, '{"error":{"message":"Slow down","code":"rate_limit_exceeded"}}', headers);
      expect(await failureOf()).toEqual({
        code: 'rate_limited',
        message: 'stub: HTTP 429: Slow down (it asks to wait 2 s)',
        retryable: true,
        retryAfterMs: 2_000,
        usage: null,
      });
    });

    test('tells no secret, and not more than 2,048 characters', async () => {
      serve = answers(401, JSON.stringify({ error: { message: `Wrong key ${KEY} ${'x'.repeat(5_000)}` } }));
      const { message } = await failureOf();
      expect(message).toMatch(/^stub: HTTP 401: Wrong key \[secret\] x+$/);
      expect(message).toHaveLength(2_048);
    });

    test('is not read without end', async () => {
      serve = (response) => {
        response.writeHead(500, { 'content-type': 'text/plain' });
        const flood = (): void => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
          if (!response.destroyed) response.once('drain', flood);
        };
        flood();
      };
      expect(await failureOf()).toMatchObject({ code: 'server_error' });
      await closed;
    });
  });

  test('a handle that names no model is a failure of the call, not of the caller', async () => {
    expect(await failureOf({ handle: 'stub' })).toMatchObject({ code: 'not_found', retryable: false, usage: null });
  });
});
