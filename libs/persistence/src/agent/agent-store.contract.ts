import { type AgentDefinition, AgentId, DEFAULT_BUDGET, newId, TenantId } from '@parley/core';
import { type AgentStore } from './agent-store.js';

/** One form of the store, with what a suite needs around it. */
export interface AgentStoreForm {
  agents: AgentStore;
  /** Gives the agent a session, so that it is in use. */
  addSession(tenant: TenantId, agent: AgentId): Promise<void>;
  close(): Promise<void>;
}

const definitionOf = (changes: Partial<AgentDefinition> = {}): AgentDefinition => ({
  name: 'Greeter',
  description: null,
  enabled: true,
  model: { handle: 'simulator/sim-20-0', parameters: { temperature: 0.5 } },
  instructions: [{ name: 'main', template: 'Grüße 👋' }],
  budget: DEFAULT_BUDGET,
  metadata: { team: ['a', null, 1.5] },
  facets: { vectara: { nested: { deep: true } } },
  ...changes,
});

/** What every form of `AgentStore` does. */
export const describeAgentStore = (name: string, makeForm: () => Promise<AgentStoreForm>): void => {
  describe(`${name} as an AgentStore`, () => {
    let form: AgentStoreForm;
    let tenant: TenantId;

    beforeAll(async () => {
      form = await makeForm();
    });
    afterAll(async () => {
      await form.close();
    });
    beforeEach(() => {
      tenant = newId(TenantId);
    });

    const create = (key: string, changes?: Partial<AgentDefinition>, id = newId(AgentId)) =>
      form.agents.create(tenant, { id, key, definition: definitionOf(changes) });

    it('makes an agent at version 1 and finds it by id, key and version', async () => {
      const agent = await create('greeter');
      expect(agent).toMatchObject({ key: 'greeter', version: 1, definition: definitionOf() });
      expect(Math.abs(agent.createdAt.getTime() - Date.now())).toBeLessThan(60_000);
      expect(await form.agents.find(tenant, { id: agent.agent })).toEqual(agent);
      expect(await form.agents.find(tenant, { key: 'greeter' })).toEqual(agent);
      const { agentCreatedAt: _, ...version } = agent;
      expect(await form.agents.findVersion(tenant, agent.agent, 1)).toEqual(version);
      expect(await form.agents.findVersion(tenant, agent.agent, 2)).toBeUndefined();
    });

    it('gives the first answer to whoever asks twice with one id', async () => {
      const agent = await create('greeter');
      await form.agents.revise(tenant, agent.agent, 1, definitionOf({ name: 'Second' }));
      expect(await create('greeter', { name: 'Other' }, agent.agent)).toEqual(agent);
      expect(await create('another-key', {}, agent.agent)).toEqual(agent);
    });

    it('makes one agent of simultaneous requests with one id', async () => {
      const id = newId(AgentId);
      const answers = await Promise.all(Array.from({ length: 8 }, () => create('greeter', {}, id)));
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      expect((await form.agents.list(tenant, { limit: 10 })).items).toHaveLength(1);
    });

    it('refuses a key that another agent has, also at the same moment', async () => {
      const outcomes = await Promise.allSettled([create('greeter'), create('greeter'), create('greeter')]);
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused).toHaveLength(2);
      for (const { reason } of refused) expect(reason).toMatchObject({ code: 'conflict' });
    });

    it('makes each change a version and keeps the older ones as they were', async () => {
      const { agent: id } = await create('greeter');
      const revised = await form.agents.revise(tenant, id, 1, definitionOf({ name: 'Second', enabled: false }));
      expect(revised).toMatchObject({ version: 2, definition: { name: 'Second', enabled: false } });
      expect(await form.agents.find(tenant, { id })).toEqual(revised);
      expect(await form.agents.findVersion(tenant, id, 1)).toMatchObject({ definition: definitionOf() });
    });

    it('refuses a change computed from an older version, and lets one of simultaneous changes win', async () => {
      const { agent: id } = await create('greeter');
      const names = ['A', 'B', 'C', 'D'];
      const outcomes = await Promise.all(
        names.map((other) => form.agents.revise(tenant, id, 1, definitionOf({ name: other }))),
      );
      expect(outcomes.filter((outcome) => outcome === 'outdated')).toHaveLength(3);
      expect((await form.agents.find(tenant, { id }))?.version).toBe(2);
    });

    it('gives the first answer to a change that is asked for twice', async () => {
      const { agent: id } = await create('greeter');
      const first = await form.agents.revise(tenant, id, 1, definitionOf({ name: 'Second' }));
      expect(await form.agents.revise(tenant, id, 1, definitionOf({ name: 'Second' }))).toEqual(first);
    });

    it('says so when there is no agent to change or remove', async () => {
      expect(await form.agents.revise(tenant, newId(AgentId), 1, definitionOf())).toBe('not_found');
      expect(await form.agents.remove(tenant, newId(AgentId))).toBe('not_found');
    });

    it('removes an agent with its versions, but not one that has sessions', async () => {
      const { agent: id } = await create('greeter');
      const { agent: used } = await create('used');
      await form.addSession(tenant, used);
      expect(await form.agents.remove(tenant, id)).toBe('removed');
      expect(await form.agents.findVersion(tenant, id, 1)).toBeUndefined();
      expect(await form.agents.remove(tenant, used)).toBe('has_sessions');
      expect(await form.agents.find(tenant, { id: used })).toBeDefined();
    });

    it('frees the key of a removed agent', async () => {
      const { agent } = await create('greeter');
      await form.agents.remove(tenant, agent);
      expect((await create('greeter')).agent).not.toBe(agent);
    });

    it('lists newest first, in pages that neither skip nor repeat, also while agents come and go', async () => {
      const made: string[] = [];
      for (let n = 0; n < 7; n++) made.unshift((await create(`agent-${n}`)).agent);
      const listed: string[] = [];
      let after: string | undefined;
      do {
        const page = await form.agents.list(tenant, { limit: 3, after });
        listed.push(...page.items.map(({ agent }) => agent));
        if (listed.length === 3) {
          await create('new-one');
          await form.agents.remove(tenant, AgentId.parse(made[2]));
        }
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(listed).toEqual(made);
    });

    it('ends the list with the last full page', async () => {
      await create('a');
      await create('b');
      expect((await form.agents.list(tenant, { limit: 2 })).next).toBeNull();
    });

    it('closes a page before it is too large for a message, and loses no agent', async () => {
      const made: string[] = [];
      for (let n = 0; n < 5; n++) {
        made.unshift((await create(`large-${n}`, { description: 'x'.repeat(200_000) })).agent);
      }
      const pages: string[][] = [];
      let after: string | undefined;
      do {
        const page = await form.agents.list(tenant, { limit: 1_000, after });
        pages.push(page.items.map(({ agent }) => agent));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
      expect(pages.flat()).toEqual(made);
    });

    it('filters by what is enabled, and by a pattern in name or description', async () => {
      await create('a', { name: 'Invoice reader', enabled: false });
      await create('b', { name: 'Greeter', description: 'reads invoices too' });
      await create('c', { name: 'Other' });
      const keys = async (query: { pattern?: string; enabled?: boolean }) =>
        (await form.agents.list(tenant, { limit: 10, ...query })).items.map(({ key }) => key);
      expect(await keys({ pattern: '(?i)invoice' })).toEqual(['b', 'a']);
      expect(await keys({ pattern: '^Invoice' })).toEqual(['a']);
      expect(await keys({ enabled: true, pattern: '(?i)invoice' })).toEqual(['b']);
      expect(await keys({ enabled: false })).toEqual(['a']);
    });

    it('refuses patterns and cursors that are none, and cursors of another tenant', async () => {
      await create('a');
      await create('b');
      const { next } = await form.agents.list(tenant, { limit: 1 });
      const refused = [
        form.agents.list(tenant, { limit: 1, pattern: '(' }),
        form.agents.list(tenant, { limit: 1, pattern: '(?=look)' }),
        form.agents.list(tenant, { limit: 1, after: 'x' }),
        form.agents.list(tenant, { limit: 1, after: '' }),
        form.agents.list(newId(TenantId), { limit: 1, after: next ?? '' }),
      ];
      for (const outcome of await Promise.allSettled(refused)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'invalid_input' } });
      }
    });

    it('shows no tenant what is another one’s', async () => {
      const { agent: id } = await create('greeter');
      const other = newId(TenantId);
      expect(await form.agents.find(other, { id })).toBeUndefined();
      expect(await form.agents.find(other, { key: 'greeter' })).toBeUndefined();
      expect(await form.agents.findVersion(other, id, 1)).toBeUndefined();
      expect((await form.agents.list(other, { limit: 10 })).items).toEqual([]);
      expect(await form.agents.revise(other, id, 1, definitionOf({ name: 'Mine' }))).toBe('not_found');
      expect(await form.agents.remove(other, id)).toBe('not_found');
      await form.agents.create(other, { id, key: 'greeter', definition: definitionOf({ name: 'Theirs' }) });
      expect((await form.agents.find(tenant, { id }))?.definition.name).toBe('Greeter');
    });
  });
};
