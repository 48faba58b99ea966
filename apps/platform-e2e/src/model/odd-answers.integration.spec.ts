import { VectaraClient } from '../client/vectara-client.js';
import { wordsOf } from '../client/wire.js';
import { DataFolder } from '../product/data-folder.js';
import { StandaloneProcess } from '../product/standalone-process.js';

describe('a Parley whose provider answers oddly', () => {
  const folder = new DataFolder();
  let parley: StandaloneProcess;
  let client: VectaraClient;

  beforeAll(async () => {
    parley = new StandaloneProcess({ dataFolder: folder.path });
    const { url, key } = await parley.listening();
    client = new VectaraClient(url, key);
  }, 60_000);
  afterAll(async () => {
    await parley.kill('SIGTERM');
    folder.remove();
  });

  /** An agent whose model is that fixture of the simulator's book, and who is not asked twice. */
  const makeAgent = async (fixture: string): Promise<string> => {
    const key = fixture.replace(':', '-');
    const model = { name: `simulator/fixture-${fixture}`, retry_configuration: { enabled: false } };
    const instructions = [{ type: 'inline', name: 'talk', template: 'Answer.' }];
    const first_step = { name: 'talk', instructions, output_parser: { type: 'default' } };
    const body = { key, name: key, model, tool_configurations: {}, first_step };
    await client.ask({ method: 'POST', path: '/v2/agents', body });
    return key;
  };

  const call = ['tool_input', 'tool_output'];

  it.each<[fixture: string, types: string[], words: string]>([
    ['q02', ['error'], 'the answer broke off before its end'],
    ['q07:tool', [...call, 'agent_output'], 'Done.'],
    ['q13:tool', [...call, ...call, 'agent_output'], 'Done.'],
    ['q17', ['agent_output'], 'half an'],
    ['q17:tool', [...call, 'agent_output'], 'Done.'],
    ['q25', ['agent_output'], 'I will not.'],
    ['q36', ['error'], 'Busy.'],
    ['q49', ['error'], 'the connection broke'],
    ['q49-finished', ['agent_output'], 'hi'],
  ])('(%s) ends its turn as it should: %j', async (fixture, types, words) => {
    const agent = await makeAgent(fixture);
    const session = await client.makeSession(agent, agent);
    const shown = await (await client.say(session, 'Hello!')).all();
    expect(shown.at(-1)?.event.type).toBe('end');
    const [said, ...came] = await client.events(session);
    expect(said?.type).toBe('input_message');
    expect(came.map(({ type }) => type)).toEqual(types);
    const last = came.at(-1);
    expect(last?.content ?? (last && wordsOf(last).join(' '))).toContain(words);
  });
});
