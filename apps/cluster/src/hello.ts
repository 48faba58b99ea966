import { COMMANDS } from './commands.js';
import { type Supervisor } from './supervisor.js';

const TEMPLATE = `You are the hello agent of Parley, a self-hosted agent server. Greet the user and answer briefly.`;

const AGENT = {
  key: 'hello',
  name: 'Hello',
  model: { name: 'openai' },
  tool_configurations: {},
  first_step: {
    name: 'hello',
    instructions: [{ type: 'inline', name: 'hello', template: TEMPLATE }],
    output_parser: { type: 'default' },
  },
};

/** Sees to it that there is somebody to talk to, and shows how; the `curl` line works as it is pasted. */
export const sayHello = async (supervisor: Supervisor, key: string, say: (line: string) => void): Promise<void> => {
  const url = supervisor.processes.find(({ service }) => service === 'gateway')?.url ?? '';
  await post(`${url}/v2/agents`, key, AGENT);
  const session = `hello-${Date.now().toString(36)}`;
  await post(`${url}/v2/agents/hello/sessions`, key, { key: session });
  const body = JSON.stringify({ messages: [{ type: 'text', content: 'Hello!' }], stream_response: true });
  const lines = [
    '',
    ...supervisor.processes.map(({ service, number, pid, url: at }) => `  ${service} ${number}: pid ${pid}, ${at}`),
    '',
    `Parley listens on ${url}`,
    '',
    `  curl -N ${url}/v2/agents/hello/sessions/${session}/events -H 'x-api-key: ${key}' -H 'content-type: application/json' -d '${body}'`,
    '',
    `Commands: ${COMMANDS}`,
    'Ctrl-C stops it; a process that is killed is started again.',
    '',
  ];
  for (const line of lines) say(line);
};

/** Makes it, unless it is there. */
const post = async (url: string, key: string, body: object): Promise<void> => {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok && response.status !== 409) throw new Error(`${url} answered ${response.status}: ${text}`);
};
