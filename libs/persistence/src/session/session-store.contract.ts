import { AgentId, DEFAULT_BUDGET, EMPTY_HEAD, newId, RunId, SessionId, TenantId } from '@parley/core';
import { type AgentStore } from '../agent/agent-store.js';
import { type RunLog } from '../run-log/run-log.js';
import { type SessionDescription, type SessionStore } from './session-store.js';

/** One form of the store, with the stores beside it. */
export interface SessionStoreForm {
  sessions: SessionStore;
  agents: AgentStore;
  runLog: RunLog;
  close(): Promise<void>;
}

const described: SessionDescription = {
  name: 'Anna’s question',
  description: null,
  metadata: { customer: { id: 7, tags: ['a', null] } },
  facets: { vectara: { tti_minutes: 5 } },
  enabled: true,
};

/** What every form of `SessionStore` does. */
export const describeSessionStore = (name: string, makeForm: () => Promise<SessionStoreForm>): void => {
  describe(`${name} as a SessionStore`, () => {
    let form: SessionStoreForm;
    let tenant: TenantId;
    let agent: AgentId;

    const makeAgent = async (key: string, enabled = true): Promise<AgentId> => {
      const model = { handle: 'simulator/sim-1-0', parameters: {} };
      const definition = { name: key, description: null, enabled, model, instructions: [], metadata: {}, facets: {} };
      const made = { id: newId(AgentId), key, definition: { ...definition, budget: DEFAULT_BUDGET } };
      return (await form.agents.create(tenant, made)).agent;
    };
    const create = (key: string, changes: Partial<SessionDescription> = {}, id = newId(SessionId)) =>
      form.sessions.create(tenant, { id, agent, key, ...described, ...changes });

    beforeAll(async () => {
      form = await makeForm();
    });
    afterAll(async () => {
      await form.close();
    });
    beforeEach(async () => {
      tenant = newId(TenantId);
      agent = await makeAgent('greeter');
    });

    it('makes an idle session with an empty log and finds it by id, and by key within its agent', async () => {
      const session = await create('first');
      expect(session).toMatchObject({ agent, key: 'first', ...described, head: EMPTY_HEAD, active: null });
      expect(session.updatedAt).toEqual(session.createdAt);
      expect(await form.sessions.find(tenant, { id: session.id })).toEqual(session);
      expect(await form.sessions.find(tenant, { agent, key: 'first' })).toEqual(session);
      expect(await form.sessions.find(tenant, { agent: await makeAgent('other'), key: 'first' })).toBeUndefined();
    });

    it('makes one session of all requests with one id, one after the other or at the same moment', async () => {
      const id = newId(SessionId);
      const answers = await Promise.all(Array.from({ length: 8 }, () => create('first', {}, id)));
      expect(await create('another-key', { name: 'Other' }, id)).toEqual(answers[0]);
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      expect((await form.sessions.list(tenant, { agent, limit: 10 })).items).toHaveLength(1);
    });

    it('refuses a key that the agent has already, and takes it for another agent', async () => {
      await create('first');
      await expect(create('first')).rejects.toMatchObject({ code: 'conflict' });
      agent = await makeAgent('other');
      expect(await create('first')).toMatchObject({ agent, key: 'first' });
    });

    it('refuses an agent that does not exist, is disabled or is another tenant’s', async () => {
      const mine = agent;
      agent = newId(AgentId);
      await expect(create('a')).rejects.toMatchObject({ code: 'not_found', details: { noun: 'agent' } });
      agent = await makeAgent('off', false);
      await expect(create('a')).rejects.toMatchObject({ code: 'illegal_state', details: { noun: 'agent' } });
      agent = mine;
      tenant = newId(TenantId);
      await expect(create('a')).rejects.toMatchObject({ code: 'not_found', details: { noun: 'agent' } });
    });

    it('changes only what is given, and nothing of the log', async () => {
      const session = await create('first', { description: 'words' });
      const change = { description: null, metadata: {}, name: undefined, facets: undefined };
      const updated = await form.sessions.update(tenant, session.id, change);
      expect(updated).toEqual({ ...session, ...{ description: null, metadata: {} }, updatedAt: updated?.updatedAt });
      expect(updated?.updatedAt.getTime()).toBeGreaterThanOrEqual(session.updatedAt.getTime());
      expect(await form.sessions.update(tenant, session.id, { enabled: false })).toMatchObject({ enabled: false });
      expect(await form.sessions.update(tenant, newId(SessionId), { name: 'x' })).toBeUndefined();
    });

    it('tells which run has the turn, in which state, and what the log says', async () => {
      const { id } = await create('first');
      const run = newId(RunId);
      const admitted = await form.runLog.admit({
        tenant,
        session: id,
        id: run,
        agent,
        version: 1,
        parts: [{ type: 'text', text: 'hi', origin: 'user' }],
        budget: DEFAULT_BUDGET,
        whenBusy: 'reject',
        whenWaiting: 'reject',
      });
      expect(admitted.outcome).toBe('queued');
      const session = await form.sessions.find(tenant, { id });
      expect(session).toMatchObject({ active: { run, state: 'queued' }, head: { seq: 1, run: { id: run } } });
      expect((await form.sessions.list(tenant, { agent, limit: 10 })).items).toEqual([session]);
    });

    it('lists the sessions of one agent, newest first, in pages', async () => {
      const keys = ['a', 'b', 'c', 'd', 'e'];
      for (const key of keys) await create(key);
      agent = await makeAgent('other');
      await create('theirs');
      agent = (await form.agents.find(tenant, { key: 'greeter' }))?.agent ?? agent;
      const listed: string[] = [];
      let after: string | undefined;
      do {
        const page = await form.sessions.list(tenant, { agent, limit: 2, after });
        listed.push(...page.items.map(({ key }) => key));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(listed).toEqual(keys.reverse());
    });

    it('closes a page before it is too large for a message, and loses no session', async () => {
      const keys = ['a', 'b', 'c', 'd', 'e'];
      for (const key of keys) await create(key, { metadata: { notes: 'x'.repeat(200_000) } });
      const pages: string[][] = [];
      let after: string | undefined;
      do {
        const page = await form.sessions.list(tenant, { agent, limit: 1_000, after });
        pages.push(page.items.map(({ key }) => key));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(pages).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
    });

    it('filters by a pattern in name or description', async () => {
      await create('a', { name: 'Invoice 1' });
      await create('b', { name: 'Other', description: 'about an invoice' });
      await create('c', { name: 'Other' });
      const { items } = await form.sessions.list(tenant, { agent, limit: 10, pattern: '(?i)invoice' });
      expect(items.map(({ key }) => key)).toEqual(['b', 'a']);
    });

    it('refuses a cursor of another agent’s list', async () => {
      await create('a');
      await create('b');
      const { next } = await form.sessions.list(tenant, { agent, limit: 1 });
      agent = await makeAgent('other');
      const foreign = form.sessions.list(tenant, { agent, limit: 1, after: next ?? '' });
      await expect(foreign).rejects.toMatchObject({ code: 'invalid_input' });
    });

    it('shows no tenant what is another one’s', async () => {
      const { id } = await create('first');
      const other = newId(TenantId);
      expect(await form.sessions.find(other, { id })).toBeUndefined();
      expect(await form.sessions.find(other, { agent, key: 'first' })).toBeUndefined();
      expect((await form.sessions.list(other, { agent, limit: 10 })).items).toEqual([]);
      expect(await form.sessions.update(other, id, { name: 'Mine' })).toBeUndefined();
      expect((await form.sessions.find(tenant, { id }))?.name).toBe(described.name);
    });
  });
};
