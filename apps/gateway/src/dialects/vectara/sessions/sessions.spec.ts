import { PlatformError } from '@parley/core';
import { tryGateway, type TriedGateway } from '../../../try-gateway.contract.js';
import { type SessionView } from './wire.js';

const agentBody = {
  key: 'agent',
  name: 'Helper',
  tool_configurations: {},
  model: { name: 'simulator/sim-1-0' },
  first_step: { name: 'answer', instructions: [], output_parser: { type: 'default' } },
};

interface Refusal {
  messages: string[];
  field_errors: Record<string, string>;
  id?: string;
}

describe('sessions', () => {
  let tried: TriedGateway;
  beforeEach(async () => {
    tried = await tryGateway();
    await tried.probe.ask('POST', '/v2/agents', { body: agentBody });
  });
  afterEach(async () => {
    expect(tried.errors).toEqual([]);
    await tried.close();
  });

  const path = '/v2/agents/agent/sessions';
  const made = async (body: object = {}): Promise<SessionView> => {
    const answer = await tried.probe.ask<SessionView>('POST', path, { body });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const said = (key: string) =>
    tried.probe.ask('POST', `${path}/${key}/events`, { body: { messages: [{ type: 'text', content: 'hello' }] } });

  it('are made of nothing', async () => {
    const session = await made();
    expect(session.key).toMatch(/^ase_session_[0-9a-z]{4}$/);
    expect(session).toEqual({
      key: session.key,
      agent_key: 'agent',
      name: session.key,
      metadata: {},
      current_step_name: null,
      enabled: true,
      status: 'unstarted',
      tti_minutes: 0,
      created_at: expect.any(String),
      alias_key: null,
      secrets: {},
    });
  });

  it('are made of all that this version knows', async () => {
    const body = {
      key: 's',
      name: 'Talk',
      description: '',
      metadata: { tier: 1 },
      enabled: false,
      tti_minutes: 0,
      secrets: {},
    };
    const session = await made(body);
    expect(session).toMatchObject(body);
    expect((await tried.probe.ask('GET', `${path}/s`)).body).toEqual(session);
  });

  it('get a key from their name', async () => {
    expect((await made({ name: 'Order 17 (EU)' })).key).toMatch(/^ase_order_17_eu_[0-9a-z]{4}$/);
    tried.platform.failures.set('rpc.session.create', [new PlatformError('conflict', 'taken')]);
    expect((await made({ name: 'Order' })).key).toMatch(/^ase_order_/);
  });

  it('are known to their first turn without a look-up', async () => {
    const { key } = await made();
    tried.platform.failures.set('rpc.session.get', [new PlatformError('unavailable', 'away')]);
    expect((await said(key)).status).toBe(201);
  });

  it('are refused under a key that the agent has a session of', async () => {
    await made({ key: 's' });
    expect((await tried.probe.ask('POST', path, { body: { key: 's' } })).status).toBe(409);
    await tried.probe.ask('POST', '/v2/agents', { body: { ...agentBody, key: 'other' } });
    expect((await tried.probe.ask('POST', '/v2/agents/other/sessions', { body: { key: 's' } })).status).toBe(201);
  });

  it.each<[object, string]>([
    [{ key: 'a b' }, 'key'],
    [{ key: '' }, 'key'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ description: 1 }, 'description'],
    [{ metadata: 'x' }, 'metadata'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ tti_minutes: 60 }, 'tti_minutes'],
    [{ secrets: { token: 'x' } }, 'secrets.token'],
    [{ from_session: { session_key: 'x' } }, 'from_session'],
    [{ title: 'x' }, 'title'],
  ])('are refused by name: %j', async (body, field) => {
    const answer = await tried.probe.ask<Refusal>('POST', path, { body });
    expect([answer.status, Object.keys(answer.body.field_errors)]).toEqual([400, [field]]);
  });

  it('change in what a PATCH names', async () => {
    const before = await made({ key: 's', name: 'Talk', description: 'd', metadata: { a: 1 } });
    const answer = await tried.probe.ask('PATCH', `${path}/s`, {
      body: { name: 'New', metadata: { b: 2 }, enabled: false },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...before, name: 'New', metadata: { b: 2 }, enabled: false });
    const empty = await tried.probe.ask('PATCH', `${path}/s`, { body: { description: '', secrets: { gone: null } } });
    expect(empty.body).toMatchObject({ description: '', name: 'New' });
  });

  it.each<[object, string]>([
    [{ name: null }, 'name'],
    [{ metadata: null }, 'metadata'],
    [{ key: 'x' }, 'key'],
    [{ tti_minutes: 1 }, 'tti_minutes'],
    [{ secrets: { token: 'x' } }, 'secrets.token'],
    [{ from_session: {} }, 'from_session'],
  ])('do not change by %j', async (body, field) => {
    await made({ key: 's' });
    const answer = await tried.probe.ask<Refusal>('PATCH', `${path}/s`, { body });
    expect([answer.status, Object.keys(answer.body.field_errors)]).toEqual([400, [field]]);
  });

  it('show the tokens of their latest model call', async () => {
    await made({ key: 's' });
    await said('s');
    expect((await tried.probe.ask('GET', `${path}/s`)).body).toMatchObject({
      status: 'stopped',
      session_context_usage: {
        input_tokens: { count: 12, cached_tokens: 2 },
        output_tokens: { count: 5, reasoning_tokens: 1 },
        total_tokens: 17,
      },
    });
  });

  it('are running while a turn is under way', async () => {
    await made({ key: 's' });
    let go = (): void => undefined;
    tried.platform.sessions.script = async () => new Promise<void>((resolve) => (go = resolve));
    const turn = said('s');
    await tried.platform.asks('rpc.run.admit');
    expect((await tried.probe.ask('GET', `${path}/s`)).body).toMatchObject({ status: 'running' });
    go();
    await turn;
  });

  it('take no words while they or their agent are disabled', async () => {
    await made({ key: 's', enabled: false });
    const refused = await said('s');
    expect([refused.status, refused.body]).toMatchObject([409, { messages: ["session 's' is disabled"] }]);
    await tried.probe.ask('PATCH', `${path}/s`, { body: { enabled: true } });
    await tried.probe.ask('PATCH', '/v2/agents/agent', { body: { enabled: false } });
    const again = await said('s');
    expect([again.status, again.body]).toMatchObject([409, { messages: ["agent 'agent' is disabled"] }]);
  });

  it('are gone with their events when they are deleted, and a turn with them', async () => {
    await made({ key: 's' });
    tried.platform.sessions.script = async (turn) => turn.pause(60_000);
    const turn = said('s');
    await tried.platform.asks('rpc.run.admit');
    expect((await tried.probe.ask('DELETE', `${path}/s`)).status).toBe(204);
    expect((await turn).status).toBe(201);
    expect((await tried.probe.ask<Refusal>('GET', `${path}/s`)).body.id).toBe('s');
    expect((await tried.probe.ask('DELETE', `${path}/s`)).status).toBe(404);
    expect((await tried.probe.ask('GET', `${path}/s/events`)).status).toBe(404);
    await made({ key: 's' });
    expect((await tried.probe.ask('GET', `${path}/s/events`)).body).toEqual({ events: [], metadata: {} });
  });

  it('name what is missing: the agent, or the session', async () => {
    await made({ key: 's' });
    const ids = async (method: 'GET' | 'DELETE' | 'PATCH', at: string): Promise<unknown> => {
      const request = method === 'PATCH' ? { body: {} } : {};
      return (await tried.probe.ask<Refusal>(method, at, request)).body.id;
    };
    expect(await ids('GET', `${path}/none`)).toBe('none');
    expect(await ids('PATCH', `${path}/none`)).toBe('none');
    expect(await ids('DELETE', `${path}/a%20b`)).toBe('a b');
    expect(await ids('GET', '/v2/agents/nobody/sessions/s')).toBe('nobody');
    expect(await ids('GET', '/v2/agents/nobody/sessions')).toBe('nobody');
    expect((await tried.probe.ask<Refusal>('POST', '/v2/agents/nobody/sessions', { body: {} })).body.id).toBe('nobody');
  });

  it('follow their agent, although its key was given to a new one', async () => {
    await made({ key: 's' });
    await tried.probe.ask('GET', `${path}/s/events`);
    await tried.probe.ask('DELETE', `${path}/s`);
    await tried.probe.ask('DELETE', '/v2/agents/agent');
    expect((await tried.probe.ask<Refusal>('GET', `${path}/s/events`)).body.id).toBe('agent');
    await tried.probe.ask('POST', '/v2/agents', { body: agentBody });
    expect((await tried.probe.ask<Refusal>('GET', `${path}/s/events`)).body.id).toBe('s');
    await made({ key: 's' });
    expect((await said('s')).status).toBe(201);
  });

  describe('in lists', () => {
    const list = async (query: string) => {
      const answer = await tried.probe.ask<{ sessions: SessionView[]; metadata: { page_key?: string } }>(
        'GET',
        `${path}?${query}`,
      );
      expect(answer.status).toBe(200);
      return answer.body;
    };
    const keys = ({ sessions }: { sessions: SessionView[] }): string[] => sessions.map(({ key }) => key);

    beforeEach(async () => {
      for (let n = 1; n <= 11; n++) await made({ key: `s${n}`, name: `Talk ${n}` });
    });

    it('come newest first, in pages, found by a regular expression', async () => {
      const first = await list('');
      expect(keys(first)).toHaveLength(10);
      expect(keys(await list(`page_key=${first.metadata.page_key}`))).toEqual(['s1']);
      expect(keys(await list('filter=1.%2B'))).toEqual(['s11', 's10']);
    });

    it('go on under the same agent only', async () => {
      await tried.probe.ask('POST', '/v2/agents', { body: { ...agentBody, key: 'other' } });
      const { metadata } = await list('limit=1');
      const other = await tried.probe.ask('GET', `/v2/agents/other/sessions?page_key=${metadata.page_key}`);
      expect(other.status).toBe(400);
    });

    it.each([
      ['limit=0', 'limit'],
      ['filter=[', 'filter'],
      ['metadata_filter=a%3D1', 'metadata_filter'],
      ['page_key=x', 'page_key'],
      ['enabled=true', 'enabled'],
    ])('refuse %s by name', async (query, field) => {
      const answer = await tried.probe.ask<Refusal>('GET', `${path}?${query}`);
      expect([answer.status, Object.keys(answer.body.field_errors)]).toEqual([400, [field]]);
    });
  });
});
