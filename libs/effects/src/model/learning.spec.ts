import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { CallId, newId, type JsonObject, type OutputFormat } from '@parley/core';
import { Outbound } from '@parley/outbound';
import { ModelClient } from './model-client.js';
import { type ModelOutcome } from './model-outcome.js';
import { ProviderTable } from './provider/provider.js';
import { Providers } from './provider/providers.js';

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const CALLED = chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }, 'tool_calls');
const OK = chunk({ content: 'hi' }, 'stop') + DONE;

type Serve = (response: ServerResponse, request: IncomingMessage) => unknown;

const answers =
  (status: number, body: string): Serve =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
const events =
  (bytes: string): Serve =>
  (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(bytes);

const ask = (client: ModelClient, handle: string, output?: OutputFormat): Promise<ModelOutcome> =>
  client.callModel({
    handle,
    instructions: '',
    messages: [],
    parameters: {},
    callId: () => newId(CallId),
    output,
    signal: new AbortController().signal,
    onDelta: () => undefined,
  });

/** What a client has learned of its providers from one call shows in the next. */
describe('a client of models', () => {
  const outbound = new Outbound();
  let serve: Serve;
  let base = '';
  const server = http.createServer((request, response) => void serve(response, request));

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => {
    outbound.close();
    server.closeAllConnections();
    server.close();
  });

  describe('that wants an answer of a form', () => {
    const output = { name: 'city', strict: true, schema: { type: 'object', required: ['city'] } };
    const answer = async (stream: string) => {
      serve = events(stream);
      const table = ProviderTable.parse({ default: 'stub', providers: { stub: { baseUrl: base } } });
      const heard: string[] = [];
      const outcome = await new ModelClient(outbound, new Providers(table)).callModel({
        handle: 'stub/m',
        instructions: '',
        messages: [],
        parameters: {},
        output,
        callId: () => newId(CallId),
        signal: new AbortController().signal,
        onDelta: ({ text }) => heard.push(text),
      });
      return { outcome, heard: heard.join('') };
    };

    test('gets its JSON, and shows of it only what the model thought', async () => {
      const stream =
        chunk({ reasoning_content: 'hm' }) +
        chunk({ content: '```json\n{"city":' }) +
        chunk({ content: '"Oslo"}\n```' }, 'stop');
      const { outcome, heard } = await answer(stream + DONE);
      expect(outcome).toMatchObject({
        ok: true,
        reply: {
          output: 'city',
          parts: [
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: '{"city":"Oslo"}' },
          ],
        },
      });
      expect(heard).toBe('hm');
    });

    test('hears what is wrong with one of another form, and what it cost', async () => {
      const { outcome } = await answer(chunk({ content: '{"town":"Oslo"}' }, 'stop') + DONE);
      expect(outcome).toMatchObject({
        ok: false,
        failure: {
          code: 'invalid_output',
          message: '/city is required',
          retryable: false,
          usage: { estimated: true },
          parts: [{ type: 'text', text: '{"town":"Oslo"}' }],
        },
      });
    });

    test.each([
      ['length', 'length'],
      ['content_filter', 'filtered'],
    ])('takes one that ended by %s as it is', async (reason, finish) => {
      const { outcome } = await answer(chunk({ content: '{"ci' }, reason) + DONE);
      expect(outcome).toMatchObject({ ok: true, reply: { finish, parts: [{ text: '{"ci' }] } });
      expect(outcome.ok && 'output' in outcome.reply).toBe(false);
    });

    test('takes a refusal as it is', async () => {
      const { outcome } = await answer(chunk({ refusal: 'I will not.' }, 'stop') + DONE);
      expect(outcome).toMatchObject({ ok: true, reply: { finish: 'filtered', parts: [{ text: 'I will not.' }] } });
    });
  });

  describe('a model with a quirk', () => {
    const clientOf = (provider: object): ModelClient =>
      new ModelClient(
        outbound,
        new Providers(ProviderTable.parse({ default: 'stub', providers: { stub: { baseUrl: base, ...provider } } })),
      );
    test('that it tells of is met at once, and remembered', async () => {
      const asked: boolean[] = [];
      serve = async (response, request) => {
        const body = (await json(request)) as object;
        asked.push('stream_options' in body);
        if ('stream_options' in body)
          return answers(400, '{"error":"Unknown field stream_options"}')(response, request);
        return events(OK)(response, request);
      };
      const client = clientOf({});
      expect(await ask(client, 'stub/m')).toMatchObject({ ok: true, reply: { usage: { estimated: true } } });
      expect(await ask(client, 'stub/m')).toMatchObject({ ok: true });
      expect(asked).toEqual([true, false, false]);
    });

    test('is not guessed at twice', async () => {
      let asked = 0;
      serve = (response, request) => {
        asked++;
        return answers(400, '{"error":"stream_options and everything else is wrong"}')(response, request);
      };
      expect(await ask(clientOf({}), 'stub/m')).toMatchObject({ ok: false, failure: { code: 'bad_request' } });
      expect(asked).toBe(2);
    });

    test('may end its answers without a reason, where it is said so', async () => {
      serve = events(chunk({ content: 'hi' }));
      expect(await ask(clientOf({}), 'stub/m')).toMatchObject({ ok: false, failure: { code: 'incomplete' } });
      expect(await ask(clientOf({ quirks: { finishOptional: true } }), 'stub/m')).toMatchObject({ ok: true });
      serve = (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chunk({ content: 'hi' }), () => response.destroy());
      };
      expect(await ask(clientOf({ quirks: { finishOptional: true } }), 'stub/m')).toMatchObject({ ok: false });
    });

    test('costs what the operator says, by what was used', async () => {
      const usage = { prompt_tokens: 1_000, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 400 } };
      serve = events(`${chunk({ content: 'hi' }, 'stop')}data: ${JSON.stringify({ choices: [], usage })}\n\n${DONE}`);
      const price = { input: 2, cachedInput: 1, output: 10 };
      const outcome = await ask(clientOf({ models: { m: { price } } }), 'stub/m');
      expect(outcome).toMatchObject({ ok: true, reply: { usage: { costUsd: 0.0026 } } });
      const unknown = await ask(clientOf({}), 'stub/m');
      expect(unknown.ok && 'costUsd' in unknown.reply.usage).toBe(false);
    });

    test('has a price or has none, which is known before it is asked', () => {
      const price = { input: 0, cachedInput: 0, output: 0 };
      const client = clientOf({ models: { 'free*': { price } } });
      const handles = ['stub/free-one', 'stub/gpt-4o-mini', 'stub/m', 'stub'];
      // The last one names no model, so it can never be called.
      expect(handles.map((handle) => client.isPriced(handle))).toEqual([true, true, false, true]);
    });
  });

  describe('a provider that fails again and again', () => {
    test('is left alone for a while, and the others are not', async () => {
      const table = ProviderTable.parse({
        default: 'bad',
        providers: { bad: { baseUrl: `${base}/bad` }, good: { baseUrl: `${base}/good` } },
      });
      const client = new ModelClient(outbound, new Providers(table));
      let asked = 0;
      serve = (response, request) => {
        if (request.url?.includes('/good/')) return events(OK)(response, request);
        asked++;
        return answers(503, 'busy')(response, request);
      };
      for (let n = 0; n < 8; n++) await ask(client, 'bad/m');
      expect(asked).toBe(5);
      expect(await ask(client, 'bad/other')).toMatchObject({ failure: { code: 'circuit_open', retryable: true } });
      expect(client.pauseMs('bad/m')).toBeGreaterThan(1_000);
      expect(client.pauseMs('good/m')).toBe(0);
      expect(await ask(client, 'good/m')).toMatchObject({ ok: true });
    });

    test.each<[string, string, string, JsonObject | undefined]>([
      ['a word', chunk({ content: 'hi' }), chunk({}, 'stop'), undefined],
      [
        'a piece of a call',
        chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'look' } }] }),
        CALLED,
        undefined,
      ],
      ['a piece of an answer of a form', chunk({ content: '{' }), chunk({ content: '}' }, 'stop'), { type: 'object' }],
      ['a sign of life', ': working\n\n', chunk({ content: 'hi' }, 'stop'), undefined],
    ])('is open to everybody again as soon as the one call that tries it hears %s', async (_, first, rest, schema) => {
      const table = ProviderTable.parse({ default: 'stub', providers: { stub: { baseUrl: base } } });
      const client = new ModelClient(outbound, new Providers(table));
      serve = answers(503, 'busy');
      for (let n = 0; n < 5; n++) await ask(client, 'stub/m');
      await sleep(client.pauseMs('stub/m') + 1);
      let end = (): unknown => undefined;
      serve = (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(first);
        end = () => response.end(rest + DONE);
      };
      const trial = ask(client, 'stub/m', schema && { name: 'form', strict: true, schema });
      expect(client.pauseMs('stub/m')).toBeGreaterThan(0);
      while (client.pauseMs('stub/m') > 0) await sleep(1);
      end();
      expect(await trial).toMatchObject({ ok: true });
    });
  });
});
