import { type Script } from '@parley/testing';
import { tryGateway, type TriedGateway } from '../try-gateway.contract.js';
import { type AgentEvent, type AgentResponse } from './wire.js';

const agentBody = {
  key: 'agent',
  name: 'Helper',
  tool_configurations: {},
  model: { name: 'simulator/sim-1-0' },
  first_step: { name: 'answer', instructions: [], output_parser: { type: 'default' } },
};
const words = (content: string) => ({ messages: [{ type: 'text', content }] });

describe('events', () => {
  let tried: TriedGateway;
  let path: string;
  beforeEach(async () => {
    tried = await tryGateway();
    await tried.probe.ask('POST', '/v2/agents', { body: agentBody });
    await tried.probe.ask('POST', '/v2/agents/agent/sessions', { body: { key: 'session' } });
    path = '/v2/agents/agent/sessions/session/events';
  });
  afterEach(async () => {
    expect(tried.errors).toEqual([]);
    await tried.close();
  });

  const play = (script: Script): void => {
    tried.platform.sessions.script = script;
  };
  const listed = async (): Promise<AgentEvent[]> =>
    (await tried.probe.ask<{ events: AgentEvent[] }>('GET', `${path}?limit=100`)).body.events;

  it('of a turn are answered when it has ended', async () => {
    const { status, body } = await tried.probe.ask<AgentResponse>('POST', path, { body: words('hello') });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      session_key: 'session',
      events: [
        { type: 'input_message', messages: [{ type: 'text', content: 'hello' }] },
        { type: 'agent_output', content: 'You said: hello' },
      ],
    });
    expect(await listed()).toEqual(body.events);
  });

  it('of a turn are streamed as they are made', async () => {
    play(async (turn) => {
      await turn.think('let me ', 'see');
      await turn.say('You ', 'said: ', turn.words);
      turn.reply();
    });
    const frames = await tried.probe.stream(path, { body: words('hello') });
    expect(frames.map(({ event }) => event.type)).toEqual([
      'input_message',
      'streaming_thinking',
      'streaming_thinking',
      'streaming_thinking_end',
      'streaming_agent_output',
      'streaming_agent_output',
      'streaming_agent_output',
      'thinking',
      'streaming_agent_output_end',
      'context_consumed',
      'end',
    ]);
  });
});
