import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { CallId, newId } from '@parley/core';
import { Outbound } from '@parley/outbound';
import fc from 'fast-check';
import { ModelClient } from './model-client.js';
import { type ModelOutcome } from './model-outcome.js';
import { ProviderTable } from './provider/provider.js';
import { Providers } from './provider/providers.js';

const IDS = Array.from({ length: 200 }, () => newId(CallId));
const MIB = 2 ** 20;

/** What a model says, in the order of the API: reasoning, text, calls. */
interface Said {
  reasoning: string;
  text: string;
  calls: { name: string; arguments: string }[];
  usage: { prompt_tokens: number; completion_tokens: number };
}

const event = (value: object): string => `data: ${JSON.stringify({ model: 'm', ...value })}\n\n`;
const delta = (value: object, finish_reason: string | null = null): string =>
  event({ choices: [{ index: 0, delta: value, finish_reason }] });

/** Pieces of a text, at most one for each of these lengths. */
const pieces = (text: string, lengths: readonly number[]): string[] => {
  const cut: string[] = [];
  let at = 0;
  for (const length of lengths) {
    if (at + length < text.length) cut.push(text.slice(at, (at += length)));
  }
  return [...cut, text.slice(at)];
};

/** The stream of an answer, with its texts and arguments in such pieces. */
const streamOf = ({ reasoning, text, calls, usage }: Said, lengths: readonly number[]): Buffer => {
  const made = [
    delta({ role: 'assistant', content: '' }),
    ...pieces(reasoning, lengths).map((piece) => delta({ reasoning_content: piece })),
    ...pieces(text, lengths).map((piece) => delta({ content: piece })),
    ...calls.flatMap(({ name, arguments: given }, index) => [
      delta({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(given, lengths).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    delta({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    event({ choices: [], usage }),
    'data: [DONE]\n\n',
  ];
  return Buffer.from(made.join(''));
};

/** Sends bytes in writes that end at these places. */
const send = async (response: ServerResponse, bytes: Buffer, places: readonly number[]): Promise<void> => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const ends = [...places.map((place) => place % bytes.length), bytes.length].sort((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    response.write(bytes.subarray(from, end));
    from = end;
    await nextTurn();
  }
  response.end();
};

describe('a stream', () => {
  const outbound = new Outbound();
  let serve: (response: ServerResponse, path: string) => unknown;
  let client: ModelClient;
  const server = http.createServer((request, response) => void serve(response, request.url ?? ''));

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const providers = { stub: { baseUrl: `${baseUrl}/stub` }, large: { baseUrl: `${baseUrl}/large` } };
    client = new ModelClient(outbound, new Providers(ProviderTable.parse({ default: 'stub', providers })));
  });
  afterAll(() => {
    outbound.close();
    server.closeAllConnections();
    server.close();
  });

  const ask = (over: { handle?: string; onDelta?: () => void } = {}): Promise<ModelOutcome> =>
    client.callModel({
      handle: 'stub/m',
      instructions: '',
      messages: [],
      parameters: {},
      callId: (index) => IDS[index] ?? newId(CallId),
      signal: new AbortController().signal,
      onDelta: () => undefined,
      ...over,
    });

  const said = fc.record({
    reasoning: fc.string({ unit: 'grapheme' }),
    text: fc.string({ unit: 'grapheme' }).map((text) => `A${text}`),
    calls: fc.array(
      fc.record({
        name: fc.stringMatching(/^[a-z_]{1,12}$/),
        arguments: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })).map((value) => JSON.stringify(value)),
      }),
      { maxLength: 4 },
    ),
    usage: fc.record({
      prompt_tokens: fc.integer({ min: 1, max: 9_999 }),
      completion_tokens: fc.integer({ min: 1, max: 9_999 }),
    }),
  });
  const lengths = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 8 });
  const places = fc.array(fc.nat(), { maxLength: 40 });

  test('gives the same reply however the model cuts what it says, and the network what it sends', async () => {
    await fc.assert(
      fc.asyncProperty(said, lengths, places, async (answer, cuts, writes) => {
        serve = (response) => send(response, streamOf(answer, cuts), writes);
        const outcome = await ask();
        const parts = [
          ...(answer.reasoning === '' ? [] : [{ type: 'reasoning', text: answer.reasoning, origin: 'model' }]),
          { type: 'text', text: answer.text, origin: 'model' },
          ...answer.calls.map((call, index) => ({ type: 'call', id: IDS[index], ...call, origin: 'model' })),
        ];
        expect(outcome).toMatchObject({
          ok: true,
          reply: {
            parts,
            finish: answer.calls.length > 0 ? 'calls' : 'stop',
            usage: {
              input: answer.usage.prompt_tokens,
              output: answer.usage.completion_tokens,
              estimated: false,
            },
          },
        });
      }),
      { numRuns: 200 },
    );
  }, 60_000);

  test('that was mangled anywhere gives an outcome, and soon', async () => {
    const mangled = fc.tuple(said, lengths, fc.nat(), fc.uint8Array({ maxLength: 20 }), fc.nat({ max: 30 }));
    await fc.assert(
      fc.asyncProperty(mangled, places, async ([answer, cuts, place, garbage, lost], writes) => {
        const sound = streamOf(answer, cuts);
        const at = place % sound.length;
        const bytes = Buffer.concat([sound.subarray(0, at), garbage, sound.subarray(at + lost)]);
        serve = (response) => send(response, bytes, writes);
        const outcome = await ask();
        expect(typeof outcome.ok).toBe('boolean');
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  test('with one line of 8 MB does not hold up 20 others', async () => {
    const gaps: number[] = [];
    serve = async (response, path) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (path.startsWith('/large/')) {
        const line = Buffer.from(delta({ content: 'x'.repeat(8 * MIB - 1_000) }));
        for (let at = 0; at < line.length; at += 1_460) {
          if (!response.write(line.subarray(at, at + 1_460))) await once(response, 'drain');
          if (at % 146_000 === 0) await nextTurn();
        }
      } else {
        for (let n = 0; n < 50; n++) {
          response.write(delta({ content: 'word ' }));
          await sleep(20);
        }
      }
      response.end(`${delta({}, 'stop')}data: [DONE]\n\n`);
    };
    const paced = Array.from({ length: 20 }, () => {
      let last = performance.now();
      return ask({
        onDelta: () => {
          const now = performance.now();
          gaps.push(now - last);
          last = now;
        },
      });
    });
    const [large, ...others] = await Promise.all([ask({ handle: 'large/m' }), ...paced]);
    expect(large).toMatchObject({ ok: true });
    expect(others.every(({ ok }) => ok)).toBe(true);
    gaps.sort((a, b) => a - b);
    expect(gaps.length).toBeGreaterThan(20 * 10);
    expect(gaps[Math.floor(gaps.length * 0.99)]).toBeLessThan(1_000);
  }, 60_000);

  test('with a line over the limit, or without end, costs no more than the limit', async () => {
    serve = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: "');
      const flood = Buffer.alloc(65_536, 'x');
      while (!response.destroyed)
        if (!response.write(flood)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    };
    global.gc?.();
    const before = process.memoryUsage().rss;
    expect(await ask()).toMatchObject({ ok: false, failure: { code: 'too_large' } });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
  });
});
