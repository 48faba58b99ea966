import { createAgent, reviseAgent } from '@parley/contracts';
import { DEFAULT_RETRY, newId, PlatformError, TenantId } from '@parley/core';
import { tryGateway, type TriedGateway } from '../../../try-gateway.contract.js';
import { type AgentView } from './wire.js';

const instruction = { type: 'inline', name: 'main', template: 'Be brief.' };
const step = { instructions: [instruction], output_parser: { type: 'default' } };
/** How a step is read. */
const read = { ...step, reminders: [] };
const plain = {
  name: 'Helper',
  tool_configurations: {},
  model: { name: 'simulator/sim-1-0' },
  first_step_name: 'answer',
  steps: { answer: step },
};

/** As agents were made before steps had a map. */
const old = { name: 'Helper', tool_configurations: {}, model: plain.model };

interface Refusal {
  messages: string[];
  field_errors: Record<string, string>;
  id?: string;
}

describe('agents', () => {
  let tried: TriedGateway;
  beforeAll(async () => {
    tried = await tryGateway();
  });
  afterAll(async () => {
    expect(tried.errors).toEqual([]);
    await tried.close();
  });

  const made = async (body: object = {}): Promise<AgentView> => {
    const answer = await tried.probe.ask<AgentView>('POST', '/v2/agents', { body: { ...plain, ...body } });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const refusal = async (body: object, method: 'POST' | 'PATCH' | 'PUT' = 'POST', path = '/v2/agents') => {
    const answer = await tried.probe.ask<Refusal>(method, path, { body });
    expect(answer.status).toBe(400);
    expect(answer.body.messages.length).toBeGreaterThan(0);
    return answer.body.field_errors;
  };
  const changed = async (key: string, body: object): Promise<AgentView> => {
    const answer = await tried.probe.ask<AgentView>('PATCH', `/v2/agents/${key}`, { body });
    expect(answer.status).toBe(200);
    return answer.body;
  };

  describe('that are made', () => {
    it('are read with all that has a default filled in', async () => {
      expect(await made({ key: 'plain' })).toEqual({
        key: 'plain',
        name: 'Helper',
        tool_configurations: {},
        skills: {},
        model: { name: 'simulator/sim-1-0', parameters: {} },
        first_step_name: 'answer',
        first_step: { name: 'answer', ...read },
        steps: { answer: read },
        metadata: {},
        enabled: true,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      });
    });

    it('get a key from their name where they come without one', async () => {
      const { key } = await made({ name: 'Support agent, EU!' });
      expect(key).toMatch(/^agt_support_agent_eu_[0-9a-z]{4}$/);
      expect((await tried.probe.ask('GET', `/v2/agents/${key}`)).status).toBe(200);
      expect((await made({ name: '客服' })).key).toMatch(/^agt_[0-9a-z]{4}$/);
      expect((await made({ name: 'x'.repeat(50) })).key).toHaveLength(50);
    });

    it('may have their one step in the older form, under the name first_step', async () => {
      const { name: _name, ...unnamed } = { name: '', ...step };
      const agent = await made({ first_step_name: undefined, steps: undefined, first_step: unnamed });
      expect(agent.first_step_name).toBe('first_step');
      expect(agent.steps).toEqual({ first_step: read });
    });

    it('may have their step in both forms, where both say the same', async () => {
      const agent = await made({ first_step: { name: 'answer', type: 'conversational', ...step } });
      expect(agent.first_step).toEqual({ name: 'answer', ...read });
    });

    it('keep what is only kept', async () => {
      const note = { description: 'why', template_type: 'text', metadata: { by: 'me' } };
      const idle = {
        compaction: { enabled: false, threshold_percent: 80 },
        tool_output_offloading: { enabled: true, context_percentage: 0.25 },
        session_enrichment: { enabled: true, tool_calls: [] },
      };
      const model = {
        name: 'm',
        parameters: { max_tokens: 100, temperature: 0.5 },
      };
      const kept = { ...instruction, ...note };
      const loose = { ...step, instructions: [kept], allowed_tools: [], allowed_skills: [], reentry_step: 'answer' };
      const sent = { ...idle, model, description: 'helps', metadata: { a: { b: [1, null] } }, enabled: false };
      const agent = await made({ ...sent, steps: { answer: loose } });
      expect(agent).toMatchObject({ ...sent, steps: { answer: loose } });
      expect((await tried.probe.ask('GET', `/v2/agents/${agent.key}`)).body).toEqual(agent);
    });

    it.each([
      [{ enabled: false }, { enabled: false }],
      [{ max_retries: 10 }, { maxRetries: 10 }],
      [{ initial_backoff_ms: 100 }, { initialBackoffMs: 100 }],
      [{ max_backoff_ms: 300_000 }, { maxBackoffMs: 300_000 }],
      [{ backoff_factor: 1.5 }, { factor: 1.5 }],
    ])('make failed model calls again as they say, else as documented: %j', async (retry_configuration, over) => {
      const agent = await made({ model: { name: 'm', retry_configuration } });
      const documented = {
        enabled: true,
        max_retries: 3,
        initial_backoff_ms: 1_000,
        max_backoff_ms: 30_000,
        backoff_factor: 2,
      };
      expect(agent.model).toEqual({
        name: 'm',
        parameters: {},
        retry_configuration: { ...documented, ...retry_configuration },
      });
      const { retry } = tried.platform.agents.keyed(agent.key)?.definition.model ?? {};
      expect(retry).toEqual({ ...DEFAULT_RETRY, ...over });
    });

    it.each([
      ['max_retries', 11],
      ['initial_backoff_ms', 99],
      ['initial_backoff_ms', 30_001],
      ['max_backoff_ms', 300_001],
      ['backoff_factor', 0.5],
      ['jitter', 1],
    ])('are refused for a retry_configuration out of its bounds: %s %d', async (field, value) => {
      const model = { name: 'm', retry_configuration: { [field]: value } };
      expect(await refusal({ ...plain, model })).toEqual({
        [`model.retry_configuration.${field}`]: expect.any(String),
      });
    });

    it.each([
      ['no schema', { name: 'n' }, 'schema', 'is required'],
      ['an odd name of a schema', { name: 'n n', schema: {} }, 'name', 'must be 1 to 64'],
    ])('are refused for %s', async (_what, json_schema, field, reason) => {
      const structured = { ...step, output_parser: { type: 'structured', json_schema } };
      expect(await refusal({ ...plain, steps: { answer: structured } })).toEqual({
        [`steps.answer.output_parser.json_schema.${field}`]: expect.stringContaining(reason),
      });
    });

    it.each<[string, 'POST' | 'PUT' | 'PATCH', (structured: object) => object, string]>([
      ['when made', 'POST', (it) => ({ ...plain, steps: { answer: it } }), 'steps.answer'],
      ['when made the old way', 'POST', (it) => ({ ...old, first_step: { name: 'answer', ...it } }), 'first_step'],
      ['when replaced', 'PUT', (it) => ({ ...plain, steps: { answer: it } }), 'steps.answer'],
      ['when changed', 'PATCH', (it) => ({ steps: { answer: it } }), 'steps.answer'],
      ['when changed the old way', 'PATCH', (it) => ({ first_step: it }), 'first_step'],
    ])('hear %s what the platform refuses of their form, by the field that says it', async (_, method, bodyOf, at) => {
      const { key } = await made();
      const output_parser = { type: 'structured', json_schema: { name: 'n', schema: { type: 'colour' } } };
      const issues = [
        { path: 'output.schema.type', message: 'is none' },
        { path: 'output', message: 'is odd' },
        { path: 'outputs', message: 'are another thing' },
      ];
      const subject = method === 'POST' ? createAgent.subject : reviseAgent.subject;
      tried.platform.failures.set(subject, [new PlatformError('invalid_input', 'no', { issues })]);
      const path = method === 'POST' ? '/v2/agents' : `/v2/agents/${key}`;
      expect(await refusal(bodyOf({ ...step, output_parser }), method, path)).toEqual({
        [`${at}.output_parser.json_schema.schema.type`]: 'is none',
        [`${at}.output_parser.json_schema`]: 'is odd',
        outputs: 'are another thing',
      });
    });

    it('say of what form their answers are, and can say that they are text again', async () => {
      const json_schema = {
        name: 'city',
        description: 'A city.',
        strict: true,
        schema: { type: 'object', additionalProperties: false },
      };
      const structured = { ...step, output_parser: { type: 'structured', json_schema } };
      const { key } = await made({ steps: { answer: structured } });
      expect(tried.platform.agents.keyed(key)?.definition.output).toEqual(json_schema);
      const read = await changed(key, { description: 'still' });
      expect(read.steps['answer']?.output_parser).toEqual(structured.output_parser);
      await changed(key, { steps: { answer: { output_parser: { type: 'default' } } } });
      expect(tried.platform.agents.keyed(key)?.definition).not.toHaveProperty('output');
    });

    it('reach the platform with what they are acted by', async () => {
      const model = { name: 'openai/gpt', parameters: { max_tokens: 7, stop: ['x'] } };
      const { key } = await made({ model, description: 'd' });
      const definition = tried.platform.agents.keyed(key)?.definition;
      expect(definition).toMatchObject({
        name: 'Helper',
        description: 'd',
        model: { handle: 'openai/gpt', parameters: { max_completion_tokens: 7, stop: ['x'] } },
        instructions: [{ name: 'main', template: 'Be brief.' }],
        budget: { rounds: 50 },
      });
    });

    it('are refused under a key that is taken', async () => {
      await made({ key: 'taken' });
      const answer = await tried.probe.ask<Refusal>('POST', '/v2/agents', { body: { ...plain, key: 'taken' } });
      expect(answer.status).toBe(409);
    });

    it('get another key when the one that was made up is taken', async () => {
      tried.platform.failures.set('rpc.agent.create', [new PlatformError('conflict', 'taken')]);
      expect((await made()).key).toMatch(/^agt_helper_/);
    });
  });

  describe('that are not acceptable', () => {
    it.each<[string, object, string, string]>([
      ['no name', { name: undefined }, 'name', 'is required'],
      ['an empty name', { name: '' }, 'name', '>=1'],
      ['a long name', { name: 'x'.repeat(51) }, 'name', '<=50'],
      ['no tools', { tool_configurations: undefined }, 'tool_configurations', 'is required'],
      ['no model', { model: undefined }, 'model', 'is required'],
      ['a model without a name', { model: {} }, 'model.name', 'is required'],
      ['a bad key', { key: 'a b' }, 'key', 'must be 1 to 50'],
      ['a long key', { key: 'x'.repeat(51) }, 'key', 'must be 1 to 50'],
      ['an unknown field', { allowed_tool: [] }, 'allowed_tool', 'is not a known field'],
      [
        'an unknown field of a step',
        { steps: { answer: { ...step, allowed_tool: [] } } },
        'steps.answer.allowed_tool',
        'known',
      ],
      [
        'an unknown field of an instruction',
        { steps: { answer: { ...step, instructions: [{ ...instruction, x: 1 }] } } },
        'steps.answer.instructions[0].x',
        'known',
      ],
      [
        'an unknown parameter',
        { model: { name: 'm', parameters: { logit_bias: {} } } },
        'model.parameters.logit_bias',
        'known',
      ],
      [
        'a bad parameter',
        { model: { name: 'm', parameters: { temperature: 3 } } },
        'model.parameters.temperature',
        '<=2',
      ],
      [
        'likeliest tokens without probabilities',
        { model: { name: 'm', parameters: { top_logprobs: 2 } } },
        'model.parameters.top_logprobs',
        'is taken only with logprobs: true',
      ],
      [
        'two token limits',
        { model: { name: 'm', parameters: { max_tokens: 1, max_completion_tokens: 1 } } },
        'model.parameters.max_tokens',
        'same as',
      ],
      ['no entry point', { first_step_name: undefined }, 'first_step_name', 'is required'],
      [
        'an entry point that is no step',
        { first_step_name: 'other' },
        'first_step_name',
        "'other' is not one of steps",
      ],
      ['an entry point without steps', { steps: undefined }, 'first_step_name', 'is not one of steps'],
      [
        'two names of the entry point',
        { first_step: { name: 'x', ...step } },
        'first_step_name',
        'is not the name of first_step',
      ],
      [
        'two entry points of one name',
        { first_step: { name: 'answer', ...step, instructions: [] } },
        'first_step',
        'is not the same as',
      ],
      ['a bad step name', { steps: { 'a b': step } }, 'steps.a b', 'must be 1 to 255'],
      [
        'a step name that is none',
        { first_step_name: undefined, steps: undefined, first_step: { name: 'constructor', ...step } },
        'first_step.name',
        'not allowed',
      ],
      [
        'an unknown reentry step',
        { steps: { answer: { ...step, reentry_step: 'x' } } },
        'steps.answer.reentry_step',
        'is not one of steps',
      ],
      [
        'an unknown tool',
        { steps: { answer: { ...step, allowed_tools: ['x'] } } },
        'steps.answer.allowed_tools[0]',
        'is not a tool',
      ],
      [
        'an unknown skill',
        { steps: { answer: { ...step, allowed_skills: ['x'] } } },
        'steps.answer.allowed_skills[0]',
        'is not a skill',
      ],
      [
        'an instruction of no type',
        { steps: { answer: { ...step, instructions: [{ name: 'a', template: 'b' }] } } },
        'steps.answer.instructions[0].type',
        '',
      ],
      ['metadata that is none', { metadata: [] }, 'metadata', 'expected record'],
    ])('say so by name: %s', async (_what, body, path, reason) => {
      const fields = await refusal({ ...plain, ...body });
      expect(Object.keys(fields)).toContain(path);
      expect(fields[path]).toContain(reason);
    });

    const inStep = (fields: object): object => ({ steps: { answer: { ...step, ...fields } } });
    it.each<[string, object, string]>([
      ['tools', { tool_configurations: { search: { type: 'web_search' } } }, 'tool_configurations.search'],
      ['skills', { skills: { review: { description: 'd', content: 'c' } } }, 'skills.review'],
      ['a second step', { steps: { answer: step, other: step } }, 'steps.other'],
      [
        'a second step beside first_step',
        { first_step_name: undefined, first_step: { name: 'a', ...step } },
        'steps.answer',
      ],
      [
        'references',
        inStep({ instructions: [{ type: 'reference', id: 'ins_1' }] }),
        'steps.answer.instructions[0].type',
      ],
      [
        'velocity',
        inStep({ instructions: [{ ...instruction, template: 'Hello $name', template_type: 'velocity' }] }),
        'steps.answer.instructions[0].template_type',
      ],
      [
        'velocity by default',
        inStep({ instructions: [{ ...instruction, template: '# Title' }] }),
        'steps.answer.instructions[0].template_type',
      ],
      [
        'instructions that are off',
        inStep({ instructions: [{ ...instruction, enabled: false }] }),
        'steps.answer.instructions[0].enabled',
      ],
      ['reminders', inStep({ reminders: [{ type: 'templated' }] }), 'steps.answer.reminders[0]'],
      ['transitions', inStep({ next_steps: [{ step_name: 'answer' }] }), 'steps.answer.next_steps[0]'],
      ['a compaction threshold', { compaction: { threshold_percent: 70 } }, 'compaction.threshold_percent'],
      ['a compaction message', { compaction: { compaction_message: 'x' } }, 'compaction.compaction_message'],
      ['kept inputs', { compaction: { keep_recent_inputs: 2 } }, 'compaction.keep_recent_inputs'],
      ['a tool event policy', { compaction: { tool_event_policy: 'exclude' } }, 'compaction.tool_event_policy'],
      ['offloading to artifacts', { tool_output_offloading: { mode: 'artifact' } }, 'tool_output_offloading.mode'],
      [
        'an offloading share',
        { tool_output_offloading: { context_percentage: 0.5 } },
        'tool_output_offloading.context_percentage',
      ],
      [
        'a headroom',
        { tool_output_offloading: { headroom_percentage: 1 } },
        'tool_output_offloading.headroom_percentage',
      ],
      [
        'offloading thresholds',
        { tool_output_offloading: { max_threshold_bytes: 2048 } },
        'tool_output_offloading.max_threshold_bytes',
      ],
      [
        'an offloading floor',
        { tool_output_offloading: { min_threshold_bytes: 2048 } },
        'tool_output_offloading.min_threshold_bytes',
      ],
      ['enrichment', { session_enrichment: { tool_calls: [{ tool: 'x' }] } }, 'session_enrichment.tool_calls[0]'],
    ])('are refused for what is not executed yet, by name: %s', async (_what, body, path) => {
      const fields = await refusal({ ...plain, ...body });
      expect(Object.keys(fields)).toEqual([path]);
      expect(fields[path]).toContain('this version of Parley');
    });

    it('are told all that is wrong at once', async () => {
      const fields = await refusal({ nam: 'x', model: { name: '', parameters: { temperature: 'hot' } }, steps: [] });
      expect(Object.keys(fields).sort()).toEqual([
        'model.name',
        'model.parameters.temperature',
        'nam',
        'name',
        'steps',
        'tool_configurations',
      ]);
    });
  });

  describe('that are read', () => {
    it.each(['none', 'a b', 'x'.repeat(300), '%00', '..%2f'])('are not there under the key %s', async (key) => {
      const answer = await tried.probe.ask<Refusal>('GET', `/v2/agents/${key}`);
      expect(answer.status).toBe(404);
      expect(answer.body.id).toBe(decodeURIComponent(key));
    });

    it('of another API show their text as text and one step', async () => {
      const { key } = await made({ key: 'foreign' });
      tried.platform.agents.change(key, (definition) => ({
        ...definition,
        facets: {},
        instructions: [{ name: 'system', template: 'Costs $5 # really' }],
      }));
      const agent = (await tried.probe.ask<AgentView>('GET', `/v2/agents/${key}`)).body;
      expect(agent.first_step).toEqual({
        name: 'first_step',
        instructions: [{ type: 'inline', name: 'system', template: 'Costs $5 # really', template_type: 'text' }],
        output_parser: { type: 'default' },
        reminders: [],
      });
      expect((await tried.probe.ask('PUT', `/v2/agents/${key}`, { body: agent })).status).toBe(200);
    });
  });

  describe('that are changed', () => {
    it('keep what a PATCH does not name', async () => {
      const before = await made({ key: 'patched', description: 'd', metadata: { a: 1 } });
      const { created_at, updated_at, ...after } = await changed('patched', { name: 'New name' });
      expect(after).toEqual({ ...omit(before), name: 'New name' });
      expect(created_at).toBe(before.created_at);
      expect(updated_at >= before.updated_at).toBe(true);
    });

    it('lose what a PATCH sets to null', async () => {
      const compaction = { enabled: false };
      await made({ key: 'cleared', description: 'd', metadata: { a: 1 }, enabled: false, compaction });
      const cleared = { description: null, metadata: null, enabled: null, compaction: null };
      const maps = { skills: null, tool_configurations: null, tool_output_offloading: null, session_enrichment: null };
      const agent = await changed('cleared', { ...cleared, ...maps });
      expect(agent).toMatchObject({ metadata: {}, enabled: true, tool_configurations: {} });
      expect(agent).not.toHaveProperty('description');
      expect(agent).not.toHaveProperty('compaction');
    });

    it('merge a step field by field, in either form', async () => {
      await made({ key: 'stepped' });
      const named = await changed('stepped', { steps: { answer: { reentry_step: 'answer', allowed_tools: [] } } });
      expect(named.steps).toEqual({ answer: { ...read, reentry_step: 'answer', allowed_tools: [] } });
      const first = await changed('stepped', { first_step: { instructions: [{ ...instruction, template: 'x' }] } });
      expect(first.steps['answer']).toMatchObject({ instructions: [{ template: 'x' }], reentry_step: 'answer' });
      const none = await changed('stepped', {
        steps: { answer: { instructions: null, reentry_step: null, allowed_tools: null, reminders: null } },
      });
      expect(none.steps).toEqual({ answer: { instructions: [], output_parser: { type: 'default' }, reminders: [] } });
    });

    it('rename their step by first_step.name, or exchange it', async () => {
      await made({ key: 'renamed', steps: { answer: { ...step, reentry_step: 'answer' } } });
      const renamed = await changed('renamed', { first_step: { name: 'reply' } });
      expect(renamed.steps).toEqual({ reply: { ...read, reentry_step: 'reply' } });
      const exchanged = await changed('renamed', { first_step_name: 'other', steps: { reply: null, other: step } });
      expect(exchanged.steps).toEqual({ other: read });
    });

    it('replace model, metadata and instructions as a whole', async () => {
      await made({ key: 'whole', model: { name: 'm', parameters: { temperature: 1 } }, metadata: { a: 1 } });
      const agent = await changed('whole', { model: { name: 'n' }, metadata: { b: 2 } });
      expect(agent).toMatchObject({ model: { name: 'n', parameters: {} }, metadata: { b: 2 } });
      expect(agent.metadata).toEqual({ b: 2 });
    });

    it('take out of their maps what a PATCH sets to null there', async () => {
      await made({ key: 'maps' });
      await changed('maps', { tool_configurations: { gone: null }, skills: { gone: null } });
    });

    it.each<[object, string]>([
      [{ name: null }, 'name'],
      [{ model: null }, 'model'],
      [{ key: 'other' }, 'key'],
      [{ steps: null }, 'first_step_name'],
      [{ steps: { answer: null } }, 'first_step_name'],
      [{ steps: { second: step } }, 'steps.second'],
      [{ first_step_name: 'nowhere' }, 'first_step_name'],
      [{ first_step: { name: 'a' }, first_step_name: 'b' }, 'first_step_name'],
      [{ steps: { answer: { instruction: [] } } }, 'steps.answer.instruction'],
      [{ steps: { second: { instructions: null, output_parser: null } } }, 'steps.second.output_parser'],
      [{ skills: { a: {} } }, 'skills.a'],
      [{ tool_configurations: { a: { type: 'web_get' } } }, 'tool_configurations.a'],
    ])('are judged as new ones: %j', async (body, path) => {
      await tried.probe.ask('DELETE', '/v2/agents/judged');
      await made({ key: 'judged' });
      expect(Object.keys(await refusal(body, 'PATCH', '/v2/agents/judged'))).toEqual([path]);
    });

    it('keep what this API cannot say', async () => {
      await made({ key: 'facets' });
      tried.platform.agents.change('facets', (definition) => ({
        ...definition,
        budget: { rounds: 3, wallMs: 1_000 },
        facets: { ...definition.facets, letta: { x: 1 } },
      }));
      await changed('facets', { name: 'b' });
      await tried.probe.ask('PUT', '/v2/agents/facets', { body: plain });
      expect(tried.platform.agents.keyed('facets')?.definition).toMatchObject({
        budget: { rounds: 3 },
        facets: { letta: { x: 1 } },
      });
    });

    it('are changed anew when somebody else was faster, but not for ever', async () => {
      await made({ key: 'raced' });
      const conflict = (): PlatformError => new PlatformError('conflict', 'changed meanwhile');
      tried.platform.failures.set('rpc.agent.revise', [conflict()]);
      expect(await changed('raced', { name: 'b' })).toMatchObject({ name: 'b' });
      tried.platform.failures.set('rpc.agent.revise', Array.from({ length: 20 }, conflict));
      expect((await tried.probe.ask('PATCH', '/v2/agents/raced', { body: { name: 'c' } })).status).toBe(409);
    });

    it('come back from a GET into a PUT as they are', async () => {
      const before = await made({
        key: 'round',
        description: 'd',
        model: { name: 'm', parameters: { max_tokens: 5 } },
      });
      const put = await tried.probe.ask<AgentView>('PUT', '/v2/agents/round', { body: before });
      expect(put.status).toBe(200);
      expect(omit(put.body)).toEqual(omit(before));
    });

    it('are replaced as a whole by a PUT', async () => {
      await made({ key: 'replaced', description: 'd', metadata: { a: 1 } });
      const put = await tried.probe.ask<AgentView>('PUT', '/v2/agents/replaced', { body: plain });
      expect(put.body).toMatchObject({ key: 'replaced', metadata: {} });
      expect(put.body).not.toHaveProperty('description');
    });

    it('are not given another key by a PUT', async () => {
      await made({ key: 'put' });
      expect(await refusal({ ...plain, key: 'other' }, 'PUT', '/v2/agents/put')).toEqual({
        key: 'is not the key in the path',
      });
    });

    it.each(['PATCH', 'PUT'] as const)('are not there for a %s', async (method) => {
      const body = method === 'PUT' ? plain : {};
      const answer = await tried.probe.ask<Refusal>(method, '/v2/agents/none', { body });
      expect([answer.status, answer.body.id]).toEqual([404, 'none']);
    });
  });

  describe('that are deleted', () => {
    it('are gone at once, and their key is free', async () => {
      await made({ key: 'gone' });
      expect((await tried.probe.ask('DELETE', '/v2/agents/gone')).status).toBe(204);
      expect((await tried.probe.ask('DELETE', '/v2/agents/gone')).status).toBe(404);
      await made({ key: 'gone' });
    });

    it('stay while they have sessions', async () => {
      await made({ key: 'busy' });
      await tried.probe.ask('POST', '/v2/agents/busy/sessions', { body: {} });
      const answer = await tried.probe.ask<Refusal>('DELETE', '/v2/agents/busy');
      expect(answer.status).toBe(409);
      expect(answer.body.messages[0]).toContain("agent 'busy' still has sessions");
    });
  });

  describe('in lists', () => {
    let alone: TriedGateway;
    const list = async (query: string) => {
      const answer = await alone.probe.ask<{ agents: AgentView[]; metadata: { page_key?: string } }>(
        'GET',
        `/v2/agents?${query}`,
      );
      expect(answer.status).toBe(200);
      return answer.body;
    };
    const keys = (page: { agents: AgentView[] }): string[] => page.agents.map(({ key }) => key);

    beforeAll(async () => {
      alone = await tryGateway({ keys: { second: newId(TenantId) } });
      for (let n = 1; n <= 12; n++) {
        const body = { ...plain, key: `a${n}`, name: `Agent ${n}`, enabled: n % 2 === 0 };
        await alone.probe.ask('POST', '/v2/agents', { body });
      }
    });
    afterAll(() => alone.close());

    it('come newest first, ten to a page, with a key to the next', async () => {
      const first = await list('');
      expect(keys(first)).toEqual(['a12', 'a11', 'a10', 'a9', 'a8', 'a7', 'a6', 'a5', 'a4', 'a3']);
      const second = await list(`page_key=${first.metadata.page_key}`);
      expect(keys(second)).toEqual(['a2', 'a1']);
      expect(second.metadata).toEqual({});
    });

    it('are found by a regular expression, and by whether they are enabled', async () => {
      expect(keys(await list('filter=1[12]$'))).toEqual(['a12', 'a11']);
      expect(keys(await list('enabled=true&limit=3'))).toEqual(['a12', 'a10', 'a8']);
      expect(keys(await list('enabled=false&filter=1'))).toEqual(['a11', 'a1']);
    });

    it('go on with the filters they began with only, and for the same tenant', async () => {
      const { metadata } = await list('limit=2&enabled=true');
      const page_key = metadata.page_key ?? '';
      expect(keys(await list(`limit=5&enabled=true&page_key=${page_key}`))).toEqual(['a8', 'a6', 'a4', 'a2']);
      const bad = [`page_key=${page_key}`, `enabled=false&page_key=${page_key}`, `page_key=x${page_key}`];
      for (const query of [...bad, 'page_key=', 'page_key=AAAA', `enabled=true&page_key=${page_key.slice(0, -2)}`]) {
        const answer = await alone.probe.ask<Refusal>('GET', `/v2/agents?${query}`);
        expect([query, answer.status, Object.keys(answer.body.field_errors)]).toEqual([query, 400, ['page_key']]);
      }
      const other = await alone.probe.as('second').ask('GET', `/v2/agents?enabled=true&page_key=${page_key}`);
      expect(other.status).toBe(400);
    });

    it.each([
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=ten', 'limit'],
      ['limit=1.5', 'limit'],
      ['limit=', 'limit'],
      ['limit=1&limit=2', 'limit'],
      ['enabled=yes', 'enabled'],
      ['filter=(', 'filter'],
      ['filter=(?=x)', 'filter'],
      [`filter=${'x'.repeat(257)}`, 'filter'],
      ['filter=%00', 'filter'],
      ['filters=x', 'filters'],
    ])('refuse %s by name', async (query, field) => {
      const answer = await alone.probe.ask<Refusal>('GET', `/v2/agents?${query}`);
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.body.field_errors)).toEqual([field]);
    });
  });
});

const omit = ({ created_at: _created, updated_at: _updated, ...rest }: AgentView): object => rest;
