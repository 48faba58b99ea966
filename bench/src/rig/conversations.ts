import { type StreamRequest } from '../load/load-plan.js';
import { type Stack } from './stack.js';

const WORDS = 'Tell me something that I do not know yet, please.';
const INSTRUCTIONS = 'You are an agent of a benchmark. Answer as you like.';

/** How many sessions are made at once. */
const AT_ONCE = 8;

let made = 0;

/** The model's part of a turn, asked for as Parley asks. */
export const chatRequest = (model: string): StreamRequest => ({
  path: '/v1/chat/completions',
  headers: {},
  body: JSON.stringify({
    model,
    messages: [
      { role: 'system', content: INSTRUCTIONS },
      { role: 'user', content: WORDS },
    ],
    stream: true,
    stream_options: { include_usage: true },
  }),
});

/** Makes an agent that talks to that model of provider `openai`; answers its key. */
export const makeAgent = async (stack: Stack, model: string): Promise<string> => {
  const key = `bench_${model.replaceAll('-', '_')}`;
  const instructions = [{ type: 'inline', name: 'bench', template: INSTRUCTIONS }];
  const definition = { key, name: 'Bench', tool_configurations: {}, model: { name: `openai/${model}` } };
  await post(stack, '/v2/agents', { ...definition, first_step: { instructions } });
  return key;
};

/** Makes so many sessions of an agent; answers the request of a turn of each, which can be sent again and again. */
export const makeSessions = async (stack: Stack, agent: string, count: number): Promise<StreamRequest[]> => {
  const requests: StreamRequest[] = [];
  const work = async (): Promise<void> => {
    while (requests.length < count) {
      const key = `bench_${++made}`;
      requests.push(turnRequest(stack, agent, key));
      await post(stack, `/v2/agents/${agent}/sessions`, { key });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return requests;
};

const turnRequest = ({ headers }: Stack, agent: string, session: string): StreamRequest => ({
  path: `/v2/agents/${agent}/sessions/${session}/events`,
  headers,
  body: JSON.stringify({ messages: [{ type: 'text', content: WORDS }], stream_response: true }),
});

const post = async ({ origin, headers }: Stack, path: string, body: object): Promise<void> => {
  const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
  const response = await fetch(origin + path, { ...options, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${path}: HTTP ${response.status}: ${await response.text()}`);
  await response.body?.cancel();
};
