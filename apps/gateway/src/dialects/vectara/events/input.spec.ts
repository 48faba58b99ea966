import { tryGateway, type TriedGateway } from '../../../try-gateway.contract.js';

const agentBody = {
  key: 'agent',
  name: 'Helper',
  tool_configurations: {},
  model: { name: 'simulator/sim-1-0' },
  first_step: { name: 'answer', instructions: [], output_parser: { type: 'default' } },
};
const words = (content: string) => ({ messages: [{ type: 'text', content }] });
const path = '/v2/agents/agent/sessions/session/events';

interface Refusal {
  field_errors: Record<string, string>;
  id?: string;
}

describe('input for a session', () => {
  let tried: TriedGateway;
  beforeAll(async () => {
    tried = await tryGateway();
    await tried.probe.ask('POST', '/v2/agents', { body: agentBody });
    await tried.probe.ask('POST', '/v2/agents/agent/sessions', { body: { key: 'session' } });
  });
  afterAll(async () => {
    expect(tried.errors).toEqual([]);
    await tried.close();
  });

  it.each<[object, string]>([
    [{}, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: 'hello' }, 'messages'],
    [{ messages: [{ content: 'x' }] }, 'messages[0].type'],
    [{ messages: [{ type: 'text' }] }, 'messages[0].content'],
    [{ messages: [{ type: 'text', content: 1 }] }, 'messages[0].content'],
    [{ messages: [{ type: 'text', content: 'x', role: 'system' }] }, 'messages[0].role'],
    [{ messages: [{ type: 'skill', skill_name: 'x' }] }, 'messages[0].type'],
    [{ messages: [{ type: 'image', content: 'aGk=' }] }, 'messages[0].type'],
    [{ messages: [{ type: 'text', content: [{ type: 'image_url' }] }] }, 'messages[0].content'],
    [{ ...words('x'), stream: true }, 'stream'],
    [{ ...words('x'), stream_response: 'yes' }, 'stream_response'],
    [{ ...words('x'), behavior: 'soon' }, 'behavior'],
    [{ ...words('x'), entry_step: 'answer' }, 'entry_step'],
    [{ ...words('x'), surface_description: { id: 'x' } }, 'surface_description.id'],
    [{ ...words('x'), surface_description: { type: 'slack' } }, 'surface_description.type'],
    [{ ...words('x'), surface_description: { include: true } }, 'surface_description.include'],
    [{ type: 'compact' }, 'type'],
    [{ type: 'tool_output', tool_outputs: [] }, 'type'],
    [{ type: 'shout' }, 'type'],
    [{ type: 'interrupt', messages: [] }, 'messages'],
  ])('is refused by name: %j', async (body, field) => {
    const answer = await tried.probe.ask<Refusal>('POST', path, { body });
    expect([answer.status, Object.keys(answer.body.field_errors)]).toEqual([400, [field]]);
  });

  it('names what is missing', async () => {
    const ids = async (at: string): Promise<unknown> =>
      (await tried.probe.ask<Refusal>('POST', at, { body: words('x') })).body.id;
    expect(await ids('/v2/agents/nobody/sessions/session/events')).toBe('nobody');
    expect(await ids('/v2/agents/agent/sessions/none/events')).toBe('none');
  });

  it('is taken with all that is at its default', async () => {
    const surface_description = { type: 'api', include: false };
    const body = { ...words('x'), type: 'input_message', stream_response: false, surface_description };
    expect((await tried.probe.ask('POST', path, { body })).status).toBe(201);
  });
});
