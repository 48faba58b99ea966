import { tryGateway, type TriedGateway } from '../try-gateway.contract.js';
import { type AgentView } from './wire.js';

const instruction = { type: 'inline', name: 'main', template: 'Be brief.' };
const step = { instructions: [instruction], output_parser: { type: 'default' } };
const plain = {
  name: 'Helper',
  tool_configurations: {},
  model: { name: 'simulator/sim-1-0' },
  first_step_name: 'answer',
  steps: { answer: step },
};

describe('agents', () => {
  let tried: TriedGateway;
  beforeAll(async () => {
    tried = await tryGateway();
  });
  afterAll(async () => {
    await tried.close();
  });

  const ask = (...args: Parameters<TriedGateway['probe']['ask']>) => tried.probe.ask<AgentView>(...args);
  const made = async (body: object = {}): Promise<AgentView> => {
    const answer = await ask('POST', '/v2/agents', { body: { ...plain, ...body } });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  it('are made with all that has a default left out', async () => {
    const agent = await made({ key: 'plain' });
    expect(agent).toMatchObject({
      key: 'plain',
      name: 'Helper',
      tool_configurations: {},
      model: { name: 'simulator/sim-1-0', parameters: {} },
      first_step_name: 'answer',
      first_step: { name: 'answer', ...step },
      steps: { answer: step },
      metadata: {},
      enabled: true,
    });
  });
});
