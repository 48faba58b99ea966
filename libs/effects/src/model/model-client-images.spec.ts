import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { CallId, type InputPart, newId } from '@parley/core';
import { Outbound } from '@parley/outbound';
import { ModelClient } from './model-client.js';
import { type ModelOutcome, type ModelRequest } from './model-outcome.js';
import { ProviderTable } from './provider/provider.js';
import { Providers } from './provider/providers.js';

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';

type Serve = (response: ServerResponse) => void;

const events =
  (bytes: string): Serve =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(bytes);
  };
const answers =
  (status: number, body: string): Serve =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };

/** What the reply says, or the code of the failure. */
const seen = (outcome: ModelOutcome): unknown => {
  if (!outcome.ok) return outcome.failure.code;
  const said = outcome.reply.parts.map((part) => {
    if (part.type === 'image') return part.source;
    return part.type === 'call' ? part.name : part.text;
  });
  return [...said, outcome.reply.finish];
};

describe('a call of a model', () => {
  const outbound = new Outbound();
  let serve: Serve;
  let connections = 0;
  let baseUrl = '';
  const server = http.createServer((_request, response) => serve(response));

  beforeAll(async () => {
    server.on('connection', () => connections++);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => {
    outbound.close();
    server.closeAllConnections();
    server.close();
  });

  const ask = ({ vision, messages = [] }: { vision?: boolean; messages?: ModelRequest['messages'] } = {}) => {
    const models = vision === undefined ? {} : { 'some-*': { capabilities: { vision } } };
    const table = ProviderTable.parse({ default: 'stub', providers: { stub: { baseUrl, models } } });
    return new ModelClient(outbound, new Providers(table)).callModel({
      handle: 'stub/some-model',
      instructions: '',
      messages,
      parameters: {},
      callId: () => newId(CallId),
      signal: new AbortController().signal,
      onDelta: () => undefined,
    });
  };

  describe('with an image in the conversation', () => {
    const image = (data: string): InputPart => ({
      type: 'image',
      source: { kind: 'base64', mediaType: 'image/png', data },
      origin: 'user',
    });
    const showing = (part: InputPart): Pick<ModelRequest, 'messages'> => ({
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'hi', origin: 'user' }, part] }],
    });

    test('does not ask a model that is known to take none, and names model and part', async () => {
      serve = events(chunk({ content: 'ok' }, 'stop') + DONE);
      const before = connections;
      const message = expect.stringMatching(/'some-model' takes no images, and part 2 of message 1 is one/);
      expect(await ask({ ...showing(image('aGk=')), vision: false })).toEqual({
        ok: false,
        failure: { code: 'unsupported_content', message, retryable: false, usage: null },
      });
      expect(connections).toBe(before);
      const erased: InputPart = { type: 'image', source: null, origin: 'user' };
      expect(seen(await ask({ ...showing(erased), vision: false }))).toEqual(['ok', 'stop']);
    });

    test.each([true, undefined])('asks a model of which vision is %s', async (vision) => {
      serve = events(chunk({ content: 'ok' }, 'stop') + DONE);
      expect(seen(await ask({ ...showing(image('aGk=')), ...(vision && { vision }) }))).toEqual(['ok', 'stop']);
    });

    test('estimates an image as one, however many bytes it has', async () => {
      serve = events(chunk({ content: 'ok' }, 'stop') + DONE);
      const inputs: unknown[] = [];
      for (const data of ['aGk=', 'A'.repeat(400_000)]) {
        const outcome = await ask(showing(image(data)));
        inputs.push(outcome.ok && outcome.reply.usage.input);
      }
      expect(inputs[0]).toBe(inputs[1]);
      expect(inputs[0]).toBeGreaterThan(765);
      expect(inputs[0]).toBeLessThan(900);
    });
  });

  describe('of an answer with images', () => {
    const url = 'https://images.example/a.png';
    const data = 'data:image/jpg;base64,aGk=';
    const inline = { kind: 'base64', mediaType: 'image/jpeg', data: 'aGk=' };

    test.each<[string, object, unknown]>([
      ['an image_url part', { content: [{ type: 'image_url', image_url: { url } }] }, { kind: 'url', url }],
      ['an output_image part', { content: [{ type: 'output_image', image_url: data }] }, inline],
      ['images beside no content', { content: '', images: [{ type: 'image_url', image_url: { url: data } }] }, inline],
      [
        'a source of its own',
        { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'aGk=' } }] },
        inline,
      ],
      [
        'a type that cannot be kept',
        { images: [{ image_url: { url: 'data:image/svg+xml;base64,aGk=' } }] },
        { kind: 'not_kept', reason: "it is of the type 'image/svg+xml'" },
      ],
      [
        'too many bytes',
        { images: [{ image_url: { url: `data:image/png;base64,${'A'.repeat(600_000)}` } }] },
        { kind: 'not_kept', reason: 'its data has 600000 characters, and may have 524288' },
      ],
      ['nothing in it', { images: [{}] }, { kind: 'not_kept', reason: 'its data is empty' }],
    ])('keeps %s, and does not ask again', async (_, delta, source) => {
      serve = events(chunk(delta) + chunk({ content: 'Here.' }) + chunk(delta, 'stop') + DONE);
      expect(seen(await ask())).toEqual(['Here.', source, 'stop']);
      serve = answers(200, JSON.stringify({ choices: [{ index: 0, message: delta, finish_reason: 'stop' }] }));
      expect(seen(await ask())).toEqual([source, 'stop']);
    });

    test('keeps as many bytes as a reply may have, and says what it left out', async () => {
      const big = (letter: string) => ({ image_url: { url: `data:image/png;base64,${letter.repeat(300_000)}` } });
      const small = Array.from({ length: 20 }, (_, index) => ({ image_url: { url: `${url}?${index}` } }));
      serve = events(chunk({ images: [big('A'), big('B'), ...small] }, 'stop') + DONE);
      const outcome = await ask();
      const kinds = outcome.ok
        ? outcome.reply.parts.map((part) => (part.type === 'image' ? part.source?.kind : part.type))
        : [];
      expect(kinds).toEqual(['base64', 'not_kept', ...Array.from({ length: 13 }, () => 'url'), 'not_kept']);
    });
  });
});
