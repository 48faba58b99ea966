import { VectaraClient } from '../client/vectara-client.js';
import { DataFolder } from '../product/data-folder.js';
import { StandaloneProcess } from '../product/standalone-process.js';
import { StubModel } from './stub-model.js';

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

describe('an agent whose answers have to be JSON of a schema', () => {
  const folder = new DataFolder();
  const model = new StubModel();
  let parley: StandaloneProcess;
  let client: VectaraClient;

  beforeAll(async () => {
    parley = new StandaloneProcess({
      dataFolder: folder.path,
      env: { OPENAI_BASE_URL: await model.listen(), OPENAI_API_KEY: 'sk-odd' },
    });
    const { url, key } = await parley.listening();
    client = new VectaraClient(url, key);
    await client.makeAgent('formal', 'openai/odd-1');
    const output_parser = { type: 'structured', json_schema: { name: 'city', strict: true, schema } };
    await client.ask({ method: 'PATCH', path: '/v2/agents/formal', body: { steps: { talk: { output_parser } } } });
  }, 60_000);
  afterAll(async () => {
    await parley.kill('SIGTERM');
    await model.close();
    folder.remove();
  });

  it('streams one whole event, which the list has too, after an answer of another form was made again', async () => {
    const session = await client.makeSession('formal', 'mended');
    const answers = ['You are in Oslo.', '```json\n{"city":"Oslo"}\n```'];
    model.say = () => answers.shift();
    const events = await (await client.say(session, 'Where am I?')).all();
    const types = events.map(({ event }) => event.type);
    expect(types).toEqual(['input_message', 'structured_output', 'context_consumed', 'end']);
    const listed = await client.events(session);
    expect(listed).toMatchObject([
      { type: 'input_message' },
      { type: 'structured_output', schema_name: 'city', content: { city: 'Oslo' } },
    ]);
    const [first, second] = model.requests;
    const json_schema = { name: 'city', strict: true, schema };
    expect(first?.body).toMatchObject({ response_format: { type: 'json_schema', json_schema } });
    expect(second?.body.messages.slice(-3)).toEqual([
      { role: 'user', content: 'Where am I?' },
      { role: 'assistant', content: 'You are in Oslo.' },
      { role: 'user', content: expect.stringContaining('not JSON') },
    ]);
    model.say = () => '{"city":"Bergen"}';
    await (await client.say(session, 'And now?')).all();
    expect(model.requests.at(-1)?.body.messages.slice(-3)).toEqual([
      { role: 'user', content: 'Where am I?' },
      { role: 'assistant', content: '{"city":"Oslo"}' },
      { role: 'user', content: 'And now?' },
    ]);
  });

  it('ends with an error that says what was wrong where it is not mended', async () => {
    const session = await client.makeSession('formal', 'broken');
    model.say = () => '{"town":"Oslo"}';
    await (await client.say(session, 'Where am I?')).all();
    model.say = () => undefined;
    const [, error] = await client.events(session);
    expect(error).toMatchObject({ type: 'error' });
    expect(JSON.stringify(error)).toContain('/city is required');
  });

  it('is not made with a schema that is none, and says where it is none', async () => {
    const properties = { city: { type: 'town' } };
    const output_parser = { type: 'structured', json_schema: { name: 'city', schema: { properties } } };
    const body = { steps: { talk: { output_parser } } };
    const { status, text } = await client.send({ method: 'PATCH', path: '/v2/agents/formal', body });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      field_errors: {
        'steps.talk.output_parser.json_schema.schema.properties.city.type': expect.stringContaining('"string"'),
      },
    });
  });
});
