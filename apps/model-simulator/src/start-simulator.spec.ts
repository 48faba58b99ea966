import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { type Socket, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatCompletion, type ChatCompletionChunk } from 'openai/resources/chat/completions';
import { type ApiErrorBody } from './http/api-error.js';
import { type Respond } from './script/step.js';
import { type Rule, type Simulator, type SimulatorOptions, type Step, startSimulator } from './index.js';

const running: Simulator[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((simulator) => simulator.stop()));
});

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(options);
  running.push(simulator);
  return simulator;
}

const playing = (answer: Step[], rest: Partial<Rule> = {}) => start({ scripts: { rules: [{ answer, ...rest }] } });

interface Exchange {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  agent?: Agent;
  body?: object | string | Buffer;
}

interface Received {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  pieces: Buffer[];
  text: string;
  /** How the body ended: `end`, or the code of the error that cut it. */
  ending: string;
}

const hello = { model: 'sim-20-0', messages: [{ role: 'user', content: 'hello' }] };
const streamed = { ...hello, stream: true, stream_options: { include_usage: true } };

function send(simulator: Simulator, { method = 'POST', path = '/v1/chat/completions', ...rest }: Exchange) {
  const options = { port: simulator.port, method, path, headers: rest.headers ?? {}, agent: rest.agent ?? false };
  const outgoing = request({ host: '127.0.0.1', ...options });
  const { body } = rest;
  outgoing.end(typeof body === 'string' || body instanceof Buffer || !body ? body : JSON.stringify(body));
  return outgoing;
}

async function respond(simulator: Simulator, asked: Exchange): Promise<IncomingMessage> {
  const outgoing = send(simulator, asked);
  const [response]: IncomingMessage[] = await once(outgoing, 'response');
  if (!response) throw new Error('no response');
  for (const end of [outgoing, response]) end.on('error', () => undefined); // tests look at how the body ends
  return response;
}

async function exchange(simulator: Simulator, asked: Exchange): Promise<Received> {
  const response = await respond(simulator, asked);
  const pieces: Buffer[] = [];
  response.on('data', (piece: Buffer) => pieces.push(piece));
  const ending = await new Promise<string>((resolve) => {
    response.on('end', () => resolve('end'));
    response.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  const text = Buffer.concat(pieces).toString();
  return { status: response.statusCode, headers: response.headers, pieces, text, ending };
}

const ask = (simulator: Simulator, body: object = streamed) => exchange(simulator, { body });
const events = (text: string) =>
  text
    .split('\n\n')
    .slice(0, -1)
    .map((event) => event.replace(/^data: /, ''));

/** All chunks but `[DONE]`. */
function chunks(text: string): ChatCompletionChunk[] {
  const parsed: ChatCompletionChunk[] = JSON.parse(`[${events(text).slice(0, -1).join(',')}]`);
  return parsed;
}

function whole(text: string): ChatCompletion {
  const parsed: ChatCompletion = JSON.parse(text);
  return parsed;
}

function error(text: string): ApiErrorBody['error'] {
  const parsed: ApiErrorBody = JSON.parse(text);
  return parsed.error;
}

const choices = (text: string) => chunks(text).map((chunk) => chunk.choices[0]);
const deltas = (text: string) => choices(text).map((choice) => choice?.delta);
const withoutTime = (text: string) => text.replaceAll(/"created":\d+/g, '"created":0');

async function eventually(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 2000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('not within 2 s');
    await sleep(2);
  }
}

describe('a built-in model', () => {
  it('streams its tokens as OpenAI does: role, one chunk a token, finish, usage, [DONE]', async () => {
    const { status, headers, text } = await ask(await start());
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const all = chunks(text);
    const said = choices(text);
    expect(all).toHaveLength(23);
    expect(said[0]).toEqual({
      index: 0,
      delta: { role: 'assistant', content: '', refusal: null },
      logprobs: null,
      finish_reason: null,
    });
    expect(
      deltas(text)
        .slice(1, 21)
        .map((delta) => delta?.content)
        .join(''),
    ).toMatch(/^I am Parley's built-in simulator, not a language model\. You said: "hello"\. \S/);
    expect(said[21]).toEqual({ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' });
    expect(all.slice(0, 22).every((chunk) => chunk.usage === null)).toBe(true);
    expect(all[22]).toMatchObject({
      object: 'chat.completion.chunk',
      model: 'sim-20-0',
      choices: [],
      usage: { prompt_tokens: 6, completion_tokens: 20, total_tokens: 26 },
    });
    expect(events(text).at(-1)).toBe('[DONE]');
  });

  it('sends each event as a piece of its own, though all at once', async () => {
    const { pieces } = await ask(await start());
    expect(pieces).toHaveLength(24);
    expect(pieces.every((piece) => /^data: [^\n]+\n\n$/.test(piece.toString()))).toBe(true);
  });

  it('does not mention usage unless asked', async () => {
    const { text } = await ask(await start(), { ...hello, stream: true });
    expect(text).not.toContain('usage');
  });

  it('gives the same bytes for the same request, and other ids for another', async () => {
    const simulator = await start();
    const [one, two] = [await ask(simulator), await ask(simulator)];
    const other = await ask(simulator, { ...streamed, seed: 1 });
    expect(withoutTime(one.text)).toBe(withoutTime(two.text));
    expect(chunks(other.text)[0]?.id).not.toBe(chunks(one.text)[0]?.id);
  });

  it('gives the same text and usage in one body when not streamed', async () => {
    const simulator = await start();
    const { status, headers, text } = await ask(simulator, hello);
    const completion = whole(text);
    const stream = (await ask(simulator)).text;
    const content = deltas(stream).map((delta) => delta?.content ?? '');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(completion).toMatchObject({ object: 'chat.completion', usage: chunks(stream).at(-1)?.usage });
    expect(completion.choices).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: content.join(''), refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ]);
  });

  it('paces its tokens', async () => {
    const simulator = await start();
    const started = performance.now();
    await ask(simulator, { ...streamed, model: 'sim-21-20' });
    const took = performance.now() - started;
    expect(took).toBeGreaterThan(395);
    expect(took).toBeLessThan(1000);
  });

  it('takes as long when not streamed', async () => {
    const simulator = await start();
    const started = performance.now();
    await ask(simulator, { ...hello, model: 'sim-6-20' });
    expect(performance.now() - started).toBeGreaterThan(95);
  });

  it('reports the limit of tokens', async () => {
    const { text } = await ask(await start(), { ...streamed, max_tokens: 3 });
    expect(choices(text).at(-2)?.finish_reason).toBe('length');
    expect(chunks(text).at(-1)?.usage?.completion_tokens).toBe(3);
  });

  it('is unknown under another name', async () => {
    const { status, text } = await ask(await start(), { ...hello, model: 'gpt-4o' });
    expect([status, error(text)]).toEqual([
      404,
      {
        message: expect.stringContaining('gpt-4o'),
        type: 'invalid_request_error',
        param: null,
        code: 'model_not_found',
      },
    ]);
  });
});

describe('the API around it', () => {
  it('lists models: some built-in ones and those of the script', async () => {
    const simulator = await playing([], { match: { model: 'gpt-x' } });
    const { text } = await exchange(simulator, { method: 'GET', path: '/v1/models' });
    const { object, data }: { object: string; data: { id: string }[] } = JSON.parse(text);
    expect(object).toBe('list');
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['sim-20-0', 'gpt-x']));
  });

  it.each([
    ['POST', '/v1/audio/speech', 404],
    ['GET', '/', 404],
    ['GET', '/v1/chat/completions', 405],
    ['POST', '/v1/models', 405],
  ])('answers %s %s with %i in the form of OpenAI', async (method, path, status) => {
    const answer = await exchange(await start(), { method, path });
    expect([answer.status, error(answer.text)]).toEqual([
      status,
      { message: expect.stringContaining(path), type: 'invalid_request_error', param: null, code: expect.any(String) },
    ]);
  });

  it('takes any key, or only the one it was given', async () => {
    const open = await start();
    const locked = await start({ apiKey: 'sk-right' });
    const withKey = (simulator: Simulator, key: string) =>
      exchange(simulator, { body: hello, headers: { authorization: `Bearer ${key}` } });
    expect((await withKey(open, 'sk-any')).status).toBe(200);
    expect((await withKey(locked, 'sk-right')).status).toBe(200);
    const wrong = await withKey(locked, 'sk-wrong');
    expect([wrong.status, error(wrong.text).code]).toEqual([401, 'invalid_api_key']);
    expect((await ask(locked)).status).toBe(401);
  });

  it.each<[string, Exchange['body']]>([
    ['no JSON', '{'],
    ['nothing', ''],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['an unknown key', { ...hello, foo: 1 }],
  ])('refuses a body that is %s', async (_, body) => {
    const answer = await exchange(await start(), body === undefined ? {} : { body });
    expect([answer.status, error(answer.text).type]).toEqual([400, 'invalid_request_error']);
  });

  it('refuses a body over its limit, announced or not, without reading all of it', async () => {
    const simulator = await start({ bodyLimitBytes: 1000 });
    const body = JSON.stringify({ ...hello, user: 'x'.repeat(2000) });
    for (const headers of [{ 'content-length': '2096' }, { 'transfer-encoding': 'chunked' }]) {
      const answer = await exchange(simulator, { body, headers: { ...headers } });
      expect([answer.status, error(answer.text).code]).toEqual([413, 'request_too_large']);
    }
  });

  it('logs what it refuses', async () => {
    const lines: object[] = [];
    const simulator = await start({ log: (message, details) => lines.push({ message, ...details }) });
    await ask(simulator);
    await ask(simulator, { ...hello, foo: 1 });
    expect(lines).toEqual([
      { message: 'request refused', status: 400, error: expect.objectContaining({ param: 'foo' }) },
    ]);
  });

  it('serves requests one after the other on a connection, also when all come at once', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    const body = JSON.stringify(streamed);
    const one = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    let received = '';
    socket.on('data', (data) => (received += data.toString()));
    socket.write(one.repeat(3));
    await eventually(() => received.split('data: [DONE]\n\n\r\n0\r\n\r\n').length === 4);
  });

  it('sends an HTTP/1.0 client a body without chunks, and closes', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    const body = JSON.stringify(streamed);
    let received = '';
    socket.on('data', (data) => (received += data.toString()));
    socket.write(`POST /v1/chat/completions HTTP/1.0\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await once(socket, 'end');
    const [, plain = ''] = received.split('\r\n\r\n');
    expect(chunks(plain)).toHaveLength(23);
  });
});

describe('the record of requests', () => {
  it('holds what came and what became of it, without the key', async () => {
    const simulator = await playing([{ say: 'hi' }], { name: 'greeting' });
    await exchange(simulator, { body: streamed, headers: { authorization: 'Bearer sk-secret', 'x-call': '7' } });
    await eventually(() => simulator.requests()[0]?.outcome === 'answered');
    const [record] = simulator.requests();
    expect(record).toMatchObject({
      number: 1,
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'x-call': '7' },
      body: streamed,
      text: JSON.stringify(streamed),
      status: 200,
      rule: 'greeting',
      tokensSent: 1,
    });
    expect(record?.closedAt).toBeGreaterThanOrEqual(record?.receivedAt ?? Infinity);
    expect(JSON.stringify(record)).not.toContain('sk-secret');
  });

  it('keeps the last ones only', async () => {
    const simulator = await start({ requestsKept: 2 });
    for (let at = 0; at < 4; at++) await ask(simulator);
    expect(simulator.requests().map(({ number }) => number)).toEqual([3, 4]);
  });

  it('shows a client that went: how far the answer had come, and that nothing followed', async () => {
    const simulator = await start();
    const response = await respond(simulator, { body: { ...streamed, model: 'sim-1000-10' } });
    await eventually(() => (simulator.requests()[0]?.tokensSent ?? 0) >= 3);
    response.destroy();
    await eventually(() => simulator.requests()[0]?.outcome === 'aborted');
    const sent = simulator.requests()[0]?.tokensSent;
    await sleep(60);
    expect(simulator.requests()[0]?.tokensSent).toBe(sent);
    expect(sent).toBeLessThan(100);
  });

  it('shows a client that went before its request was whole', async () => {
    const simulator = await start();
    const socket = connect(simulator.port, '127.0.0.1');
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"mod');
    await eventually(() => simulator.requests().length === 1);
    socket.destroy();
    await eventually(() => simulator.requests()[0]?.outcome === 'aborted');
    expect(simulator.requests()[0]).toMatchObject({ status: undefined, tokensSent: 0, text: '' });
  });

  it('shows that a client that does not read is not sent more than the connection holds', async () => {
    const simulator = await start();
    const response = await respond(simulator, { body: { ...streamed, model: 'sim-200000-0' } });
    await sleep(200);
    const sent = simulator.requests()[0]?.tokensSent ?? 0;
    expect(sent).toBeGreaterThan(1000);
    expect(sent).toBeLessThan(100_000);
    response.resume();
    await once(response, 'end');
    expect(simulator.requests()[0]?.tokensSent).toBe(200_000);
  });
});

describe('stopping', () => {
  it('ends every connection at once and frees the port', async () => {
    const simulator = await playing([{ say: 'x' }, { end: 'stall' }]);
    const idle = new Agent({ keepAlive: true });
    const open = ask(simulator);
    await exchange(simulator, { method: 'GET', path: '/v1/models', agent: idle });
    await eventually(() => simulator.requests()[0]?.tokensSent === 1);

    const started = performance.now();
    await simulator.stop();
    expect(performance.now() - started).toBeLessThan(1000);
    expect((await open).ending).toBe('ECONNRESET');
    await start({ port: simulator.port });
    idle.destroy();
  });

  it('twice is stopping once', async () => {
    const simulator = await start();
    await Promise.all([simulator.stop(), simulator.stop()]);
    await simulator.stop();
  });
});

describe('a script', () => {
  it('answers in steps, each with its own chunks', async () => {
    const simulator = await playing([
      { think: 'Hm, well' },
      { say: ['Let me', ' look.'] },
      { call: 'look', arguments: { at: 'é😀' }, id: 'mine', pieces: 3 },
      { call: 'hear', arguments: 'no JSON' },
    ]);
    const played = deltas((await ask(simulator)).text);
    expect(played.slice(0, 5)).toEqual([
      { role: 'assistant', content: null, refusal: null },
      { content: null, reasoning_content: 'Hm,' },
      { content: null, reasoning_content: ' well' },
      { content: 'Let me' },
      { content: ' look.' },
    ]);
    const calls = played.flatMap((delta) => delta?.tool_calls ?? []);
    expect(calls[0]).toEqual({ index: 0, id: 'mine', type: 'function', function: { name: 'look', arguments: '' } });
    expect(
      calls
        .slice(1, 4)
        .map((call) => call.function?.arguments)
        .join(''),
    ).toBe('{"at":"é😀"}');
    expect(calls.slice(4)).toEqual([
      {
        index: 1,
        id: expect.stringMatching(/^call_\w{1,35}$/),
        type: 'function',
        function: { name: 'hear', arguments: '' },
      },
      { index: 1, function: { arguments: 'no JSON' } },
    ]);
  });

  it('gives the same answer in one body when not streamed', async () => {
    const simulator = await playing([
      { think: 'Hm', key: 'reasoning' },
      { say: 'Yes' },
      { call: 'look', arguments: { a: 1 }, pieces: 2 },
      { usage: { total_tokens: 7 } },
    ]);
    const { choices: given, usage } = whole((await ask(simulator, hello)).text);
    expect(given[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Yes', reasoning: 'Hm', tool_calls: [{ function: { name: 'look', arguments: '{"a":1}' } }] },
    });
    expect(usage).toEqual({ total_tokens: 7 });
  });

  it('changes the finish reason and the usage, or leaves them out', async () => {
    const changed = await ask(await playing([{ say: 'x' }, { finish: 'length' }, { usage: { total_tokens: 7 } }]));
    expect(choices(changed.text).at(-2)?.finish_reason).toBe('length');
    expect(chunks(changed.text).at(-1)?.usage).toEqual({ total_tokens: 7 });
    const left = await ask(await playing([{ say: 'x' }, { finish: null }, { usage: null }]));
    expect(deltas(left.text)).toEqual([expect.anything(), { content: 'x' }]);
  });

  it('refuses in the words of the model', async () => {
    const { text } = await ask(await playing([{ refuse: 'I cannot' }, { finish: 'content_filter' }]));
    expect(deltas(text).map((delta) => delta?.refusal)).toEqual([null, 'I', ' cannot', undefined, undefined]);
  });

  it('answers an error instead of a stream, once, and then goes on', async () => {
    const body = { error: { message: 'slow down', type: 'requests', param: null, code: 'rate_limit_exceeded' } };
    const respond = { status: 429, headers: { 'retry-after': '2' }, body };
    const rules: Rule[] = [{ times: 1, answer: [{ wait: 10 }, { respond }] }, { answer: [{ say: 'hi' }] }];
    const simulator = await start({ scripts: { rules } });
    const refused = await ask(simulator);
    expect([refused.status, refused.headers['retry-after'], JSON.parse(refused.text)]).toEqual([429, '2', body]);
    expect((await ask(simulator)).status).toBe(200);
  });

  it.each<{ what: string; step: Respond; text: string; type?: string }>([
    {
      what: 'a page of HTML',
      step: { respond: { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' } },
      text: '<p>',
      type: 'text/html',
    },
    { what: 'an empty body', step: { respond: { status: 200 } }, text: '' },
    { what: 'no content', step: { respond: { status: 204 } }, text: '' },
    { what: 'JSON null', step: { respond: { status: 500, body: null } }, text: 'null', type: 'application/json' },
  ])('answers $what', async ({ step, text, type }) => {
    const answer = await ask(await playing([step]));
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([step.respond.status, text, type]);
  });

  it('sends events and deltas of any form', async () => {
    const { text } = await ask(
      await playing([
        { event: { choices: [] } },
        { delta: { tool_calls: [{ function: { name: 'x' } }] } },
        { delta: null },
        { event: { message: 'overloaded' }, name: 'error' },
        { end: 'close' },
      ]),
    );
    const [first, second, third, ...rest] = events(text);
    expect(first).toBe('{"choices":[]}');
    expect(second).toContain('"delta":{"tool_calls":[{"function":{"name":"x"}}]}');
    expect(third).toContain('"delta":null');
    expect(rest).toEqual(['event: error\ndata: {"message":"overloaded"}']);
  });

  it('sends raw bytes and nothing around them, in writes of the given sizes', async () => {
    const raw = Buffer.from('data: é😀\r\n\r\n');
    const { headers, pieces } = await ask(
      await playing([{ raw: raw.toString('base64'), encoding: 'base64' }, { raw: ': x\n' }, { end: 'close' }], {
        writes: { bytes: [1, 3] },
      }),
    );
    expect(headers['content-type']).toContain('text/event-stream');
    expect(Buffer.concat(pieces)).toEqual(Buffer.concat([raw, Buffer.from(': x\n')]));
    expect(pieces.map(({ length }) => length)).toEqual([1, 3, 1, 3, 1, 3, 1, 3, 1, 3]);
  });

  it('pauses between writes', async () => {
    const simulator = await playing([{ raw: 'abcde' }, { end: 'close' }], { writes: { bytes: 1, pauseMs: 20 } });
    const started = performance.now();
    expect((await ask(simulator)).text).toBe('abcde');
    expect(performance.now() - started).toBeGreaterThan(75);
  });

  it('plays a fixture of the book, as a call where one is asked for, and then goes on', async () => {
    const tools = [{ type: 'function', function: { name: 'look' } }];
    const rules: Rule[] = [
      { times: 1, answer: [{ wait: 1 }, { fixture: 'q07' }] },
      { times: 1, answer: [{ fixture: 'q07', tool: true }] },
      { times: 1, answer: [{ fixture: '429' }] },
      { answer: [{ say: 'good' }] },
    ];
    const simulator = await start({ scripts: { rules } });
    expect(choices((await ask(simulator)).text).map((choice) => choice?.delta.content)).toContain('hi');
    expect((await ask(simulator)).text).toContain('"name":"look"');
    expect((await ask(simulator)).status).toBe(429);
    expect((await ask(simulator)).text).toContain('good');
    simulator.setScripts({ rules: [{ answer: [{ fixture: 'q07' }], writes: { bytes: 7 } }] });
    const { pieces, text } = await ask(simulator, { ...streamed, tools });
    expect(text).toContain('"name":"look"');
    expect(pieces[0]).toHaveLength(7);
  });

  it('sends the head of its own, before anything else', async () => {
    const simulator = await playing([{ head: { status: 202, headers: { 'x-own': '1' } } }, { end: 'stall' }]);
    const response = await respond(simulator, { body: streamed });
    expect([response.statusCode, response.headers['x-own']]).toEqual([202, '1']);
    response.destroy();
  });

  it('closes early, without finish and [DONE]', async () => {
    const { text, ending } = await ask(await playing([{ say: 'half' }, { end: 'close' }]));
    expect([ending, events(text).length]).toEqual(['end', 2]);
    expect(text).not.toMatch(/"finish_reason":"|DONE/);
  });

  it('resets the connection in the middle, after all it has sent', async () => {
    const simulator = await playing([{ say: 'half an answer' }, { end: 'reset' }]);
    const { text, ending } = await ask(simulator);
    expect(text).toContain('" answer"');
    expect(ending).toBe('ECONNRESET');
    expect(simulator.requests()[0]).toMatchObject({ outcome: 'reset', tokensSent: 3 });
  });

  it('resets the connection before the head', async () => {
    const simulator = await playing([{ end: 'reset' }]);
    await expect(ask(simulator)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('stalls until the client goes', async () => {
    const simulator = await playing([{ say: 'x' }, { end: 'stall' }]);
    const response = await respond(simulator, { body: streamed });
    await once(response, 'data');
    await sleep(50);
    expect(simulator.requests()[0]?.outcome).toBe('open');
    response.destroy();
    await eventually(() => simulator.requests()[0]?.outcome === 'aborted');
  });

  it('says so when no rule matches a model that is only the script’s', async () => {
    const simulator = await playing([], { match: { model: 'gpt-x', role: 'tool' } });
    const { status, text } = await ask(simulator, { ...hello, model: 'gpt-x' });
    expect([status, error(text).code]).toEqual([400, 'script_no_match']);
  });

  it('says so when an answer of chunks is asked for in one body', async () => {
    const { status, text } = await ask(await playing([{ delta: {} }]), hello);
    expect([status, error(text).code]).toEqual([500, 'script_needs_stream']);
  });

  it('writes a raw body also when not streamed', async () => {
    const { headers, text } = await ask(await playing([{ raw: '{"choices":' }]), hello);
    expect([headers['content-type'], text]).toEqual(['application/json', '{"choices":']);
  });

  it('lets requests carry the keys that it names', async () => {
    const rules: Rule[] = [{ match: { has: 'messages[].reasoning_content' }, answer: [{ say: 'echoed' }] }];
    const simulator = await start({ scripts: { rules, extensions: ['messages[].reasoning_content'] } });
    const messages = [{ role: 'assistant', content: 'x', reasoning_content: 'hm' }, ...hello.messages];
    expect((await ask(simulator, { ...streamed, messages })).text).toContain('"echoed"');
    expect((await ask(simulator)).text).toContain(' simulator,');
  });

  it('can be replaced, and a bad one leaves the old one in use', async () => {
    const simulator = await playing([{ say: 'old' }]);
    const bad = JSON.parse('{"rules":[{"answer":[{"shout":"x"}]}]}');
    expect(() => simulator.setScripts(bad)).toThrow('rules[0].answer[0]');
    expect((await ask(simulator)).text).toContain('"old"');
    simulator.setScripts({ rules: [{ answer: [{ say: 'new' }] }] });
    expect((await ask(simulator)).text).toContain('"new"');
  });

  it('that is bad does not start', async () => {
    await expect(start({ scripts: JSON.parse('{"rules":1}') })).rejects.toThrow('rules: ');
  });
});
