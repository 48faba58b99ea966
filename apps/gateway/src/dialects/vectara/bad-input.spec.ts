import { tryGateway, type TriedGateway } from '../../try-gateway.contract.js';

const agentBody = {
  key: 'agent',
  name: 'Helper',
  tool_configurations: {},
  model: { name: 'simulator/sim-1-0' },
  first_step: { name: 'answer', instructions: [], output_parser: { type: 'default' } },
};

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

const agents = '/v2/agents';
const agent = `${agents}/agent`;
const sessions = `${agent}/sessions`;
const session = `${sessions}/session`;
const events = `${session}/events`;

/** Every route of this dialect. */
const routes: [Method, string][] = [
  ['POST', agents],
  ['GET', agents],
  ['GET', agent],
  ['PATCH', agent],
  ['PUT', agent],
  ['DELETE', agent],
  ['POST', sessions],
  ['GET', sessions],
  ['GET', session],
  ['PATCH', session],
  ['DELETE', session],
  ['POST', events],
  ['GET', events],
  ['GET', `${events}/aev_x`],
];
const withBody = routes.filter(([method]) => ['POST', 'PATCH', 'PUT'].includes(method));
const lists = routes.filter(([method, path]) => method === 'GET' && [agents, sessions, events].includes(path));

/** A field of each body that takes text. */
const textIn = (path: string): object =>
  path === events ? { messages: [{ type: 'text', content: 'TEXT' }] } : { name: 'TEXT' };
const placeOfText = (path: string): string => (path === events ? 'messages[0].content' : 'name');
const deep = (open: string, close: string): string => open.repeat(8_000) + '1' + close.repeat(8_000);

interface Refused {
  messages: string[];
  field_errors?: Record<string, string>;
  request_id: string;
}

describe('bad input', () => {
  let tried: TriedGateway;
  beforeAll(async () => {
    tried = await tryGateway();
    await tried.probe.ask('POST', agents, { body: agentBody });
    await tried.probe.ask('POST', sessions, { body: { key: 'session' } });
  });
  afterAll(async () => {
    expect(tried.errors).toEqual([]);
    await tried.close();
  });

  /** Asks, and holds the answer against what every refusal has to be. */
  const refused = async (method: Method, path: string, request: object = {}): Promise<Refused & { status: number }> => {
    const { status, body } = await tried.probe.ask<Refused>(method, path, request);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body.messages.length).toBeGreaterThan(0);
    expect(body.request_id).toMatch(/^req_/);
    return { ...body, status };
  };

  describe.each(withBody)('in the body of %s %s', (method, path) => {
    it.each<[string, string]>([
      ['nothing', ''],
      ['half an object', '{"name":'],
      ['a comma too many', '{"name":"x",}'],
      ['no quotes', '{name:1}'],
      ['a BOM', '\ufeff{}'],
      ['NaN', '{"name":NaN}'],
    ])('that is %s is refused with its position', async (_what, body) => {
      const { status, messages } = await refused(method, path, {
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect(status).toBe(400);
      expect(messages[0]).toMatch(/at position \d+$|is empty/);
    });

    it('that is not UTF-8 is refused', async () => {
      const body = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
      const { status, messages } = await refused(method, path, { body });
      expect([status, messages]).toEqual([400, ['the body is not UTF-8']]);
    });

    it.each(['null', '[]', '1', '"x"', 'true'])('that is %s is refused', async (body) => {
      expect((await refused(method, path, { body })).status).toBe(400);
    });

    it.each([
      ['U+0000', '\\u0000'],
      ['half a surrogate pair', '\\ud83d'],
      ['the other half', '\\ude00'],
    ])('that holds %s is refused with its place', async (_what, escape) => {
      const body = JSON.stringify(textIn(path)).replace('TEXT', `a${escape}b`);
      const { status, field_errors } = await refused(method, path, { body });
      expect([status, field_errors]).toEqual([
        400,
        { [placeOfText(path)]: 'holds U+0000 or half of a surrogate pair' },
      ]);
    });

    it('that has a key of such text is refused with its place', async () => {
      const { field_errors } = await refused(method, path, { body: '{"metadata":{"a\\u0000":1}}' });
      expect(field_errors).toEqual({ metadata: 'has a key with U+0000 or half of a surrogate pair' });
    });

    it.each(['__proto__', 'constructor', 'prototype'])('that has the key %s is refused with its place', async (key) => {
      const { field_errors } = await refused(method, path, { body: `{"metadata":{"a":{"${key}":{"x":1}}}}` });
      expect(field_errors).toEqual({ [`metadata.a.${key}`]: 'is a key that is not allowed' });
      expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    });

    it.each([
      ['arrays', deep('[', ']')],
      ['objects', deep('{"a":', '}')],
      ['objects in metadata', `{"metadata":${deep('{"a":', '}')}}`],
      ['arrays that never end', '['.repeat(8_000)],
    ])('that is 8,000 levels of %s is refused at once, with its place', async (_what, body) => {
      const times: number[] = [];
      for (let n = 0; n < 3; n++) {
        const started = performance.now();
        await refused(method, path, { body });
        times.push(performance.now() - started);
      }
      expect(Math.min(...times)).toBeLessThan(200); // the machine may be busy with something else
      const { status, field_errors } = await refused(method, path, { body });
      const [[place, reason] = []] = Object.entries(field_errors ?? {});
      expect([status, reason]).toEqual([400, 'is nested deeper than 64 levels']);
      expect(place).not.toBe('');
    });

    it('that has an unknown field is refused by its name', async () => {
      const { field_errors } = await refused(method, path, { body: { allowed_tool: [] } });
      expect(field_errors).toMatchObject({ allowed_tool: 'is not a known field' });
    });

    it('that has a field of the wrong type is refused by its name', async () => {
      const body = path === events ? { messages: { type: 'text' } } : { name: { first: 'x' } };
      const { field_errors } = await refused(method, path, { body });
      expect(field_errors).toHaveProperty(path === events ? 'messages' : 'name');
    });

    it('that has a huge key is refused', async () => {
      await refused(method, path, { body: { ['k'.repeat(500_000)]: 1 } });
    });

    it('that is no JSON by its type is refused', async () => {
      for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded']) {
        const { status } = await refused(method, path, { body: '{}', headers: { 'content-type': type } });
        expect(status).toBe(415);
      }
    });
  });

  it.each(lists)('in the query of %s %s is refused by name', async (method, path) => {
    for (const [query, field] of [
      ['limit=-1', 'limit'],
      ['limit=1000000000000000000000', 'limit'],
      ['limit=1e1', 'limit'],
      ['limit[]=1', 'limit[]'],
      ['page_key=', 'page_key'],
      ['page_key=%F0%9F%98%80', 'page_key'],
      ['page_key=../../etc/passwd', 'page_key'],
      [`page_key=${'A'.repeat(4_000)}`, 'page_key'],
      ['page_key=%00', 'page_key'],
      ['nonsense=1', 'nonsense'],
      ['__proto__=1', '__proto__'],
      ['__proto__[x]=1', '__proto__[x]'],
    ]) {
      const { status, field_errors } = await refused(method, `${path}?${query}`);
      expect([query, status, Object.keys(field_errors ?? {})]).toEqual([query, 400, [field]]);
    }
  });

  it.each(routes)('as a key in the path of %s %s is not found', async (method, path) => {
    const body = withBody.some(([one, other]) => one === method && other === path)
      ? { body: bodyFor(method, path) }
      : {};
    for (const key of [
      'no-such',
      '%00',
      '%F0%9F%98%80',
      '..%2F..',
      'a%20b',
      'x'.repeat(499),
      'x'.repeat(5_000),
      "'--",
    ]) {
      const paths = ['agent', 'session', 'aev_x'].map((name) => path.replace(new RegExp(`/${name}(?=/|$)`), `/${key}`));
      for (const other of new Set(paths)) {
        if (other !== path) expect((await refused(method, other, body)).status).toBe(404);
      }
    }
  });

  it.each(routes)('as a method beside %s %s is refused', async (_method, path) => {
    const taken = routes.filter(([, other]) => other === path).map(([method]) => method);
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE'] as const) {
      if (!taken.includes(method)) expect((await refused(method, path, { body: {} })).status).toBe(405);
    }
  });
});

/** A body that would be taken. */
const bodyFor = (method: Method, path: string): object => {
  if (method === 'PATCH') return {};
  if (path === events) return { messages: [{ type: 'text', content: 'x' }] };
  return path === sessions ? {} : { ...agentBody, key: undefined };
};
