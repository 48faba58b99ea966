import { deriveId, newId, POISON, RunId, TenantId } from '@parley/core';
import { type Script } from '@parley/testing';
import { DEFAULT_TENANT } from '../config.js';
import { KEY, tryGateway, type TriedGateway } from '../try-gateway.contract.js';

const OTHER_KEY = 'key-of-another-tenant';
const agent = {
  key: 'agent',
  name: 'Helper',
  tool_configurations: {},
  model: { name: 'simulator/sim-1-0' },
  first_step: { name: 'answer', instructions: [], output_parser: { type: 'default' } },
};

interface Listed {
  items: { run: RunId; preview: string }[];
  next: string | null;
}

const deadly: Script = async (turn) => {
  if (turn.words.startsWith('die')) turn.end('failed', `${POISON}it was killed`);
};

describe('/parley/v1/dead-letters', () => {
  let tried: TriedGateway;
  beforeEach(async () => {
    tried = await tryGateway({ script: deadly, keys: { [OTHER_KEY]: newId(TenantId) } });
    await tried.probe.ask('POST', '/v2/agents', { body: agent });
    await tried.probe.ask('POST', '/v2/agents/agent/sessions', { body: { key: 'session' } });
  });
  afterEach(async () => {
    expect(tried.errors).toEqual([]);
    await tried.close();
  });

  const say = async (...words: string[]): Promise<void> => {
    for (const content of words) {
      const body = { messages: [{ type: 'text', content }] };
      await tried.probe.ask('POST', '/v2/agents/agent/sessions/session/events', { body });
    }
  };
  const ask = async <Body = Listed>(
    path = '',
    { method = 'GET', key = KEY, body }: { method?: string; key?: string; body?: string } = {},
  ) => {
    const headers = { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const request = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await fetch(`${tried.url}/parley/v1/dead-letters${path}`, request);
    return { status: response.status, body: (await response.json()) as Body };
  };
  const rerun = (run: string, more: { key?: string; body?: string } = {}) =>
    ask<object>(`/${run}/rerun`, { method: 'POST', ...more });
  const previews = ({ body }: { body: Listed }): string[] => body.items.map(({ preview }) => preview);

  it('lists what ended as poison, page by page', async () => {
    await say('die 1', 'live', 'die 2', 'die 3');
    const first = await ask('?limit=2');
    expect(first).toMatchObject({ status: 200, body: { items: [{ reason: 'poison: it was killed' }, {}] } });
    expect(Object.keys(first.body.items[0] ?? {})).toEqual(['run', 'session', 'agent', 'reason', 'at', 'preview']);
    const second = await ask(`?limit=2&after=${first.body.next}`);
    expect([...previews(first), ...previews(second)]).toEqual(['die 3', 'die 2', 'die 1']);
    expect(second.body.next).toBeNull();
  });

  it('admits one again, and answers the same when it is asked again', async () => {
    await say('die');
    const run = (await ask()).body.items[0]?.run ?? '';
    const expected = { run: deriveId(RunId, { tenant: DEFAULT_TENANT, kind: 'rerun', key: run }), outcome: 'queued' };
    expect(await rerun(run)).toEqual({ status: 201, body: expected });
    expect(await rerun(run, { body: '{}' })).toEqual({ status: 201, body: expected });
    expect(tried.platform.sessions.logs(DEFAULT_TENANT)[0]?.events.map(({ body }) => body.kind)).toEqual([
      ...['input', 'run_ended'],
      ...['input', 'run_ended'],
    ]);
  });

  it('says in the words of RFC 9457 what cannot be run again', async () => {
    await say('live');
    const live = tried.platform.sessions.logs(DEFAULT_TENANT)[0]?.events[0]?.run ?? '';
    const type = 'urn:parley:error:illegal_state';
    const detail = expect.stringContaining(`run '${live}' is no dead letter`);
    expect(await rerun(live)).toMatchObject({ status: 409, body: { type, detail } });
    expect(await rerun(newId(RunId))).toMatchObject({ status: 404, body: { type: 'urn:parley:error:not_found' } });
    expect(await rerun('17')).toMatchObject({ status: 422, body: { errors: [{ path: 'run', message: 'not an id' }] } });
    const errors = [{ path: 'session', message: 'is not a known field' }];
    expect(await rerun(live, { body: '{"session":"x"}' })).toMatchObject({ status: 422, body: { errors } });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['after=a&after=b', 'after'],
    ['before=x', 'before'],
  ])('refuses ?%s', async (query, path) => {
    const answer = await ask<object>(`?${query}`);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path, message: expect.any(String) }] } });
  });

  it('shows a tenant nothing of another one’s', async () => {
    await say('die');
    const run = (await ask()).body.items[0]?.run ?? '';
    expect(await ask('', { key: OTHER_KEY })).toEqual({ status: 200, body: { items: [], next: null } });
    expect((await rerun(run, { key: OTHER_KEY })).status).toBe(404);
    expect((await ask('', { key: 'none' })).status).toBe(401);
  });
});
