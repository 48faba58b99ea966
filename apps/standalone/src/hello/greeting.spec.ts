import { greetingLines, type Greeting } from './greeting.js';

const greeting: Greeting = {
  url: 'http://127.0.0.1:8283',
  key: 'parley_k',
  conversation: { agent: 'hello', session: 'hello' },
  simulated: true,
  dataDirectory: '/data',
};

const lineOf = (given: Partial<Greeting>): string | undefined =>
  greetingLines({ ...greeting, ...given }).find((line) => line.trim().startsWith('curl'));

describe('the greeting', () => {
  it('shows a line that talks to the agent, with the key', () => {
    expect(lineOf({})).toContain('/v2/agents/hello/sessions/hello/events');
    expect(lineOf({})).toContain(`-H 'x-api-key: parley_k'`);
  });

  it('shows no key where none is asked for', () => {
    expect(lineOf({ key: null })).not.toContain('x-api-key');
  });

  it('shows the agents where there is none to talk to', () => {
    expect(lineOf({ conversation: undefined })).toBe(`  curl http://127.0.0.1:8283/v2/agents -H 'x-api-key: parley_k'`);
  });

  it.each([
    [true, 'simulator'],
    [false, 'openai'],
  ])('says where answers come from (simulated: %s)', (simulated, word) => {
    expect(greetingLines({ ...greeting, simulated }).join('\n')).toContain(word);
  });
});
