import { CallId, type Message, newId } from '@parley/core';
import { ModelClient, type ModelOutcome, ProviderTable, Providers } from '@parley/effects';
import { Outbound } from '@parley/outbound';
import { type Simulator, startSimulator } from '../start-simulator.js';
import { type StrictMode } from './strict-modes.js';

const call = newId(CallId);
const longName = 'look_'.repeat(12);

/** A turn that thought and called, and its result. */
const history: Message[] = [
  { role: 'user', parts: [{ type: 'text', text: 'hi', origin: 'user' }] },
  {
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'I think', origin: 'model' },
      { type: 'call', id: call, name: longName, arguments: '{}', origin: 'model' },
    ],
  },
  { role: 'tool', call, outcome: 'result', parts: [{ type: 'text', text: 'sun', origin: 'tool' }] },
];

describe('a provider that is stricter than OpenAI', () => {
  const outbound = new Outbound();
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator();
  });
  afterAll(async () => {
    outbound.close();
    await simulator.stop();
  });

  const ask = (mode: StrictMode, quirks: object): Promise<ModelOutcome> => {
    simulator.setScripts({ rules: [], strict: [mode], extensions: ['messages[].reasoning_content'] });
    const providers = { simulator: { baseUrl: simulator.url, quirks } };
    const client = new ModelClient(outbound, new Providers(ProviderTable.parse({ default: 'simulator', providers })));
    return client.callModel({
      handle: 'simulator/fixture-q01',
      instructions: 'Be kind.',
      messages: history,
      parameters: {},
      callId: () => newId(CallId),
      signal: new AbortController().signal,
      onDelta: () => undefined,
    });
  };

  it.each<[StrictMode, object, object, RegExp]>([
    ['must_echo_reasoning', {}, { echoReasoning: 'reasoning_content' }, /must be passed back/],
    ['must_not_echo_reasoning', { echoReasoning: 'reasoning_content' }, {}, /not allowed in the input/],
    ['content_not_null', {}, { emptyContent: 'empty' }, /content must be a string/],
    ['short_tool_names', {}, { nameLength: 40 }, /longer than 40/],
    ['no_system_role', {}, { systemRole: 'user' }, /role is not supported/],
  ])('(%s) refuses what another takes, and takes what the quirk for it makes', async (mode, usual, quirk, words) => {
    const refused = await ask(mode, usual);
    expect(refused).toMatchObject({
      ok: false,
      failure: { code: 'bad_request', message: expect.stringMatching(words) },
    });
    expect(await ask(mode, quirk)).toMatchObject({ ok: true });
  });

  it('(no_stream_options) is asked again without them', async () => {
    expect(await ask('no_stream_options', {})).toMatchObject({ ok: true });
    const asked = simulator.requests().slice(-2);
    expect(asked.map(({ status, body }) => [status, Object.hasOwn(Object(body), 'stream_options')])).toEqual([
      [400, true],
      [200, false],
    ]);
  });
});
