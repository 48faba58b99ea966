import { type Conversation } from './hello-agent.js';

/** What a start tells whoever sits in front of it. */
export interface Greeting {
  /** Where the gateway listens, e.g. `http://127.0.0.1:8283`. */
  url: string;
  /** Null where none is asked for. */
  key: string | null;
  conversation: Conversation | undefined;
  /** True when answers come from the simulator. */
  simulated: boolean;
  dataDirectory: string;
}

/** The lines of the greeting; the `curl` line works as it is pasted, now. */
export const greetingLines = (greeting: Greeting): string[] => {
  const { url, key, conversation, simulated, dataDirectory } = greeting;
  return [
    '',
    `Parley listens on ${url}`,
    `Data: ${dataDirectory}${key === null ? ' (open: no key is asked for on this machine)' : ''}`,
    simulated
      ? 'Models: the built-in simulator. Set OPENAI_API_KEY or OPENAI_BASE_URL to talk to a real one.'
      : 'Models: provider openai, as OPENAI_API_KEY and OPENAI_BASE_URL say.',
    '',
    conversation ? 'Talk to an agent:' : 'There is no enabled agent. See those there are:',
    '',
    `  ${curlLine(greeting)}`,
    '',
    'Ctrl-C stops it; running conversations go on at the next start.',
    '',
  ];
};

const curlLine = ({ url, key, conversation }: Greeting): string => {
  const header = key === null ? '' : ` -H 'x-api-key: ${key}'`;
  if (!conversation) return `curl ${url}/v2/agents${header}`;
  const { agent, session } = conversation;
  const body = JSON.stringify({ messages: [{ type: 'text', content: 'Hello!' }], stream_response: true });
  return `curl -N ${url}/v2/agents/${agent}/sessions/${session}/events${header} -H 'content-type: application/json' -d '${body}'`;
};
