import { connect } from 'node:net';
import { newId, PlatformError, TenantId } from '@parley/core';
import { createLogger, Health } from '@parley/host';
import { KEY, type TriedGateway, tryGateway } from '../try-gateway.contract.js';

/** Sends bytes as they are and gives back what comes until the connection closes, or 1 s passed. */
const raw = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    let heard = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(1_000, () => socket.end());
    socket.on('data', (chunk) => (heard += chunk.toString()));
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });

describe('the door', () => {
  let tried: TriedGateway;
  const second = newId(TenantId);
  beforeAll(async () => {
    tried = await tryGateway({ keys: { 'key-of-the-second-tenant': second } });
  });
  afterAll(async () => {
    await tried.close();
  });

  const get = (path: string, headers: Record<string, string> = {}) => fetch(tried.url + path, { headers });

  it('lets in who has a key, under either name', async () => {
    expect((await get('/v2/agents', { 'x-api-key': KEY })).status).toBe(200);
    expect((await get('/v2/agents', { authorization: `Bearer ${KEY}` })).status).toBe(200);
    expect((await get('/v2/agents', { authorization: `bearer ${KEY}` })).status).toBe(200);
  });

  it.each<[string, Record<string, string>]>([
    ['no key', {}],
    ['a wrong key', { 'x-api-key': 'wrong' }],
    ['an empty key', { 'x-api-key': '' }],
    ['two keys', { 'x-api-key': KEY, authorization: `Bearer ${KEY}` }],
    ['another scheme', { authorization: `Basic ${Buffer.from(`${KEY}:`).toString('base64')}` }],
    ['half a header', { authorization: 'Bearer' }],
  ])('refuses %s with 401', async (_what, headers) => {
    const response = await get('/v2/agents', headers);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toEqual({
      messages: [expect.any(String)],
      request_id: response.headers.get('x-request-id'),
    });
  });

  it('asks for the key before it reads the body', async () => {
    const answer = await raw(
      tried.url,
      'POST /v2/agents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    );
    expect(answer).toContain('HTTP/1.1 401');
  });

  it('is heard by a client that still sends what is too large', async () => {
    const post = (body: string) =>
      fetch(`${tried.url}/v2/agents`, {
        method: 'POST',
        headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
        body,
      });
    for (let n = 0; n < 20; n += 1) expect((await post(`"${'x'.repeat(8 * 2 ** 20)}"`)).status).toBe(413);
  });

  it('does not answer more than it is asked', async () => {
    const body = JSON.stringify({
      ...Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, n])),
      ['k'.repeat(100_000)]: 1,
      first_step_name: 'n'.repeat(100_000),
    });
    const answer = await tried.probe.ask('POST', '/v2/agents', { body: JSON.parse(body) });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body).length).toBeLessThan(20_000);
  });

  it('keeps tenants apart', async () => {
    const body = { key: 'mine', name: 'Mine', tool_configurations: {}, model: { name: 'm' } };
    const made = { ...body, first_step: { name: 'a', instructions: [], output_parser: { type: 'default' } } };
    expect((await tried.probe.ask('POST', '/v2/agents', { body: made })).status).toBe(201);
    const other = tried.probe.as('key-of-the-second-tenant');
    expect((await other.ask('GET', '/v2/agents/mine')).status).toBe(404);
    expect((await other.ask('GET', '/v2/agents')).body).toEqual({ agents: [], metadata: {} });
    expect((await other.ask('POST', '/v2/agents', { body: made })).status).toBe(201);
  });

  it('gives every answer an id and headers that keep browsers out', async () => {
    const response = await get('/v2/agents', { 'x-api-key': KEY });
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it.each(['/v2', '/v2/', '/v2/nothing', '/v2/agents/a/nothing', '/v2/agents/'])(
    'says 404 in the words of the dialect: %s',
    async (path) => {
      const response = await get(path, { 'x-api-key': KEY });
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({
        messages: ['there is no such path'],
        request_id: response.headers.get('x-request-id'),
      });
    },
  );

  it('says 404 and 405 as RFC 9457 problems where no dialect is', async () => {
    const lost = await get('/nothing');
    expect([lost.status, lost.headers.get('content-type')]).toEqual([404, 'application/problem+json; charset=utf-8']);
    expect(await lost.json()).toMatchObject({ type: 'urn:parley:error:not_found', status: 404 });
    const wrong = await fetch(`${tried.url}/health/live`, { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await wrong.json()).toMatchObject({ type: 'urn:parley:error:method_not_allowed', status: 405 });
  });

  it('tells which methods a path takes', async () => {
    const response = await fetch(`${tried.url}/v2/agents/a`, { method: 'POST', headers: { 'x-api-key': KEY } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'DELETE, GET, HEAD, PATCH, PUT']);
    expect(await response.json()).toMatchObject({ messages: [expect.stringContaining('does not take POST')] });
  });

  it('refuses a path that is no path', async () => {
    const answer = await raw(tried.url, `GET /v2/agents/%zz HTTP/1.1\r\nHost: x\r\nx-api-key: ${KEY}\r\n\r\n`);
    expect(answer).toContain('HTTP/1.1 400');
    expect(answer).toContain('"messages":["the path is not a valid URL path"]');
  });

  it.each([
    ['text/plain', '{}'],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/jsonp', '{}'],
    ['nonsense', '{}'],
  ])('takes no body of type %s', async (type, body) => {
    const headers = { 'x-api-key': KEY, 'content-type': type };
    const response = await fetch(`${tried.url}/v2/agents`, { method: 'POST', headers, body });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ messages: ['send the body as application/json'] });
  });

  it('takes a body of no type for what it is: not JSON', async () => {
    const answer = await raw(
      tried.url,
      `POST /v2/agents HTTP/1.1\r\nHost: x\r\nx-api-key: ${KEY}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
    expect(answer).toContain('HTTP/1.1 415');
  });

  it.each(['/v2/agents', '/v2/agents/a/sessions', '/v2/agents/a/sessions/s/events'])(
    'says of a request to %s that has no body that it needs one',
    async (path) => {
      const response = await fetch(`${tried.url}${path}`, { method: 'POST', headers: { 'x-api-key': KEY } });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        messages: ['the request has no body: send one as application/json'],
      });
    },
  );

  it('takes JSON with a charset', async () => {
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json; charset=utf-8' };
    const response = await fetch(`${tried.url}/v2/agents`, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ field_errors: { name: 'is required' } });
  });

  it('refuses what is too large, by its length and while it comes', async () => {
    const big = JSON.stringify({ name: 'x'.repeat(1_100_000) });
    expect((await tried.probe.ask('POST', '/v2/agents', { body: big })).status).toBe(413);
    const events = '/v2/agents/a/sessions/s/events';
    expect((await tried.probe.ask('POST', events, { body: big })).status).toBe(400);
    const huge = JSON.stringify({ messages: [{ type: 'text', content: 'x'.repeat(17 * 2 ** 20) }] });
    expect((await tried.probe.ask('POST', events, { body: huge })).status).toBe(413);
    const chunked = await raw(
      tried.url,
      `POST /v2/agents HTTP/1.1\r\nHost: x\r\nx-api-key: ${KEY}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `110000\r\n"${'x'.repeat(0x110000 - 1)}\r\n`,
    );
    expect(chunked).toContain('HTTP/1.1 413');
  });

  it('takes a DELETE that says it has JSON and has none', async () => {
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
    expect((await fetch(`${tried.url}/v2/agents/none`, { method: 'DELETE', headers })).status).toBe(404);
  });

  it('tells nothing of the inside and logs it under the id of the request', async () => {
    tried.platform.failures.set('rpc.agent.list', [new TypeError('password is hunter2') as PlatformError]);
    const response = await get('/v2/agents', { 'x-api-key': KEY });
    expect(response.status).toBe(500);
    const id = response.headers.get('x-request-id');
    expect(await response.json()).toEqual({ messages: ['A fault in Parley'], request_id: id });
    const logged = JSON.stringify(tried.errors.splice(0), (_key, value: unknown) =>
      value instanceof Error ? value.message : value,
    );
    expect(logged).toContain('hunter2');
    expect(logged).toContain(id);
  });

  it.each([
    ['unavailable', 503, 'A part of Parley is away'],
    ['timeout', 504, 'Not done in time'],
    ['rate_limited', 429, 'slow down'],
  ] as const)('says %s as %i', async (code, status, told) => {
    tried.platform.failures.set('rpc.agent.list', [new PlatformError(code, 'slow down', { retryAfterMs: 1_500 })]);
    const { body, ...answer } = await tried.probe.ask('GET', '/v2/agents');
    expect(answer.status).toBe(status);
    expect(body).toMatchObject({ messages: [told] });
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(tried.errors).toEqual([]);
  });

  it('ends with all its connections', async () => {
    const other = await tryGateway();
    const { hostname, port } = new URL(other.url);
    const socket = connect(Number(port), hostname);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('connect', resolve));
    const started = performance.now();
    await other.close();
    await closed;
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe('an open door', () => {
  let tried: TriedGateway;
  beforeAll(async () => {
    tried = await tryGateway({ openTo: newId(TenantId) });
  });
  afterAll(async () => {
    await tried.close();
  });

  const asking = async (headers: string): Promise<string> => {
    const answer = await raw(tried.url, `GET /v2/agents HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
    return answer.slice(9, 12);
  };

  it('asks for no key, and does not mind one', async () => {
    expect((await tried.probe.as(undefined).ask('GET', '/v2/agents')).status).toBe(200);
    expect((await tried.probe.as('whatever').ask('GET', '/v2/agents')).status).toBe(200);
  });

  it.each(['localhost', 'localhost:8283', '127.0.0.1', '127.0.0.1:80', '[::1]:8283', 'LOCALHOST'])(
    'answers to the name %s',
    async (host) => {
      expect(await asking(`Host: ${host}\r\n`)).toBe('200');
    },
  );

  it.each(['evil.example', 'localhost.evil.example', '10.0.0.1', '127.0.0.1.evil.example', 'evil.example:127'])(
    'does not answer to the name %s',
    async (host) => {
      expect(await asking(`Host: ${host}\r\n`)).toBe('403');
    },
  );

  it.each(['http://localhost:3000', 'http://127.0.0.1:8283', 'https://[::1]'])(
    'answers a page of %s',
    async (origin) => {
      expect(await asking(`Host: localhost\r\nOrigin: ${origin}\r\n`)).toBe('200');
    },
  );

  it.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'file://',
    'http://localhost@evil.example',
  ])('does not answer a page of %s', async (origin) => {
    expect(await asking(`Host: localhost\r\nOrigin: ${origin}\r\n`)).toBe('403');
  });

  it('takes only JSON, so that no form of a page gets in', async () => {
    const response = await fetch(`${tried.url}/v2/agents`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(415);
  });
});

describe('health', () => {
  it('is asked without a key, and says 503 while something is away', async () => {
    const health = new Health(createLogger({ app: 'gateway', level: 'silent' }));
    let away = false;
    health.watch('postgres', async () => {
      if (away) throw new Error('refused');
    });
    const tried = await tryGateway({ health });
    const ask = async (path: string) => {
      const response = await fetch(tried.url + path);
      return [response.status, await response.json()];
    };
    expect(await ask('/health/live')).toEqual([200, { status: 'live' }]);
    expect(await ask('/health/ready')).toMatchObject([200, { ready: true }]);
    away = true;
    expect(await ask('/health/ready')).toMatchObject([
      503,
      { ready: false, checks: [{ name: 'postgres', up: false }] },
    ]);
    expect((await ask('/health/live'))[0]).toBe(200);
    await tried.close();
  });
});
