import { CallId, newId } from '@parley/core';
import { ModelClient, type ModelOutcome, ProviderTable, Providers } from '@parley/effects';
import { Outbound } from '@parley/outbound';
import { type Simulator, startSimulator } from '../start-simulator.js';
import { fixtures } from './fixture-book.js';
import { type Expected, type Fixture } from './fixture.js';

const deliveries = ['', ':bytes', ':cuts-1', ':cuts-20261201'];

interface Row {
  name: string;
  fixture: Fixture;
  expected: Expected;
}

/** Fixture × {text, tool} × deliveries. */
const rows: Row[] = fixtures.flatMap((fixture) =>
  (['text', 'tool'] as const).flatMap((run) => {
    const expected = fixture[run]?.expected;
    if (!expected) return [];
    const ways = fixture.writes ? [''] : deliveries;
    return ways.map((way) => ({
      name: `fixture-${fixture.name}${run === 'tool' ? ':tool' : ''}${way}`,
      ...{ fixture, expected },
    }));
  }),
);

describe('the model adapter, asked for', () => {
  const outbound = new Outbound();
  const unhandled: unknown[] = [];
  const note = (reason: unknown): number => unhandled.push(reason);
  let simulator: Simulator;

  beforeAll(async () => {
    process.on('unhandledRejection', note);
    simulator = await startSimulator();
  });
  afterAll(async () => {
    process.off('unhandledRejection', note);
    outbound.close();
    await simulator.stop();
  });

  const client = ({ idleMs = 10_000, thinkOpen = false }: Fixture): ModelClient => {
    const providers = { simulator: { baseUrl: simulator.url, quirks: { thinkOpen } } };
    return new ModelClient(outbound, new Providers(ProviderTable.parse({ default: 'simulator', providers })), {
      idleMs,
    });
  };

  it.each(rows)('$name, gives the expected outcome: $fixture.shows', async ({ name, fixture, expected }) => {
    const shown: string[] = [];
    const outcome = await client(fixture).callModel({
      handle: `simulator/${name}`,
      instructions: 'Be kind.',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi', origin: 'user' }] }],
      parameters: fixture.asksLogprobs ? { logprobs: true, top_logprobs: 2 } : {},
      callId: () => newId(CallId),
      signal: new AbortController().signal,
      onDelta: ({ part, text }) => (shown[part] = (shown[part] ?? '') + text),
    });
    expect(seen(outcome, expected)).toEqual(expected);
    const parts = outcome.ok ? outcome.reply.parts : [];
    for (const [at, part] of parts.entries()) if ('text' in part) expect(shown[at]).toBe(part.text);
  });

  it('anything of the book, leaves no rejection unhandled', () => {
    expect(unhandled).toEqual([]);
  });
});

/** An outcome in the words of the expectation. */
function seen(outcome: ModelOutcome, expected: Expected): unknown {
  if (!outcome.ok) return failed(outcome.failure, expected);
  const { parts, finish, usage, logprobs = null } = outcome.reply;
  const calls = parts.filter((part) => part.type === 'call').map((part) => [part.name, part.arguments]);
  const text = parts.find((part) => part.type === 'text')?.text;
  const reasoning = parts.find((part) => part.type === 'reasoning')?.text;
  const cost = usage.estimated ? 'estimated' : { input: usage.input, output: usage.output };
  return {
    finish,
    ...(text !== undefined && { text }),
    ...(reasoning !== undefined && { reasoning }),
    ...(calls.length > 0 && { calls }),
    ...('usage' in expected && { usage: cost }),
    ...('logprobs' in expected && { logprobs }),
  };
}

/** What was only bounded is as expected when it is within the bounds. */
function failed(failure: Extract<ModelOutcome, { ok: false }>['failure'], expected: Expected): unknown {
  const { says, waitMs } = 'fails' in expected ? expected : {};
  const { code, message, retryAfterMs } = failure;
  const within = waitMs && retryAfterMs !== undefined && retryAfterMs >= waitMs[0] && retryAfterMs <= waitMs[1];
  return {
    fails: code,
    ...(says !== undefined && { says: message.includes(says) ? says : message }),
    ...(waitMs !== undefined && { waitMs: within ? waitMs : (retryAfterMs ?? null) }),
  };
}
