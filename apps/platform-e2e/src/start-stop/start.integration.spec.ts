import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readSse } from '../client/sse-reader.js';
import { VectaraClient } from '../client/vectara-client.js';
import { type WireEvent } from '../client/wire.js';
import { DataFolder } from '../product/data-folder.js';
import { type Greeting, StandaloneProcess } from '../product/standalone-process.js';

/** What a shell makes of a line that is pasted into it: the events that it shows. */
const paste = async (line: string): Promise<WireEvent[]> => {
  const { stdout } = await promisify(execFile)('bash', ['-c', line]);
  const events: WireEvent[] = [];
  for await (const { data } of readSse(
    (async function* () {
      yield Buffer.from(stdout);
    })(),
  )) {
    events.push(JSON.parse(data) as WireEvent);
  }
  return events;
};

const answerOf = (events: WireEvent[]): string =>
  events.map(({ type, content }) => (type === 'streaming_agent_output' ? content : '')).join('');

describe('a newcomer who starts Parley', () => {
  let folder: DataFolder;
  let parley: StandaloneProcess;
  let greeting: Greeting;

  const start = async (env: Record<string, string> = {}): Promise<void> => {
    parley = new StandaloneProcess({ dataFolder: folder.path, env });
    greeting = await parley.listening();
  };
  const client = (): VectaraClient => new VectaraClient(greeting.url, greeting.key);

  beforeAll(async () => {
    folder = new DataFolder();
    await start();
  }, 60_000);
  afterAll(async () => {
    await parley.kill('SIGTERM');
    folder.remove();
  }, 30_000);

  it('finds an agent and a session to talk to, and a line that does it as it is pasted', async () => {
    const { agents } = await client().ask<{ agents: { key: string }[] }>({ path: '/v2/agents' });
    expect(agents.map(({ key }) => key)).toEqual(['hello']);
    expect(greeting.curl).toContain('/v2/agents/hello/sessions/hello/events');

    const events = await paste(greeting.curl);
    expect(events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
      'input_message',
      'streaming_agent_output',
      'streaming_agent_output_end',
      'context_consumed',
      'end',
    ]);
    expect(answerOf(events)).toContain('simulator');
    expect(parley.lines.join('\n')).toContain('OPENAI_API_KEY');
  });

  it('sees at the second start that it takes less than 5 s, makes nothing anew, and knows the first', async () => {
    await parley.kill('SIGTERM');
    const { key } = greeting;
    await start();
    process.stdout.write(`second start: ${Math.round(greeting.afterMs)} ms\n`);
    expect(greeting.afterMs).toBeLessThan(5_000);
    expect(greeting.key).toBe(key);

    const listed = await client().events({ agent: 'hello', session: 'hello' });
    expect(listed.map(({ type }) => type)).toEqual(['input_message', 'agent_output']);
    expect(answerOf(await paste(greeting.curl))).not.toBe('');
    expect(await client().events({ agent: 'hello', session: 'hello' })).toHaveLength(4);
  });

  it('keeps the model that its user chose, and offers another session where that one is busy, so that the line works now', async () => {
    await client().ask({
      method: 'PATCH',
      path: '/v2/agents/hello',
      body: { model: { name: 'simulator/sim-400-40' } },
    });
    await (await client().say({ agent: 'hello', session: 'hello' }, 'a long one')).upTo('streaming_agent_output');
    await parley.kill();
    await start();
    expect(greeting.curl).not.toContain('/sessions/hello/');
    const chosen = await client().send({ path: '/v2/agents/hello' });
    expect(chosen.text).toContain('"simulator/sim-400-40"');
    await client().ask({ method: 'PATCH', path: '/v2/agents/hello', body: { model: { name: 'simulator/sim-5-0' } } });
    expect(answerOf(await paste(greeting.curl))).not.toBe('');
    await client().interrupt({ agent: 'hello', session: 'hello' });
  });

  it('is offered another agent where hello is disabled, and the list where all are', async () => {
    await client().makeAgent('mine', 'simulator/sim-5-0');
    await client().ask({ method: 'PATCH', path: '/v2/agents/hello', body: { enabled: false } });
    await parley.kill();
    await start();
    expect(greeting.curl).toContain('/v2/agents/mine/sessions/');
    expect(answerOf(await paste(greeting.curl))).not.toBe('');

    await client().ask({ method: 'PATCH', path: '/v2/agents/mine', body: { enabled: false } });
    await parley.kill();
    await start();
    const { stdout } = await promisify(execFile)('bash', ['-c', greeting.curl]);
    expect((JSON.parse(stdout) as { agents: unknown[] }).agents).toHaveLength(2);
  });
});
