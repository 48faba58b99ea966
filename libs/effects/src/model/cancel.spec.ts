import { getEventListeners, once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CallId, newId } from '@parley/core';
import { Outbound } from '@parley/outbound';
import { ModelClient } from './model-client.js';
import { ProviderTable } from './provider/provider.js';
import { Providers } from './provider/providers.js';

const head = (status: string, type: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`;
const piece = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const STREAM = head('200 OK', 'text/event-stream');
const JSON_ANSWER = head('200 OK', 'application/json');
const HALF = piece('data: {"choices":[{"delta":{"content":"half"}}]}\n\n');
const CALL = piece('data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f"}}]}}]}\n\n');
/** Until all that was sent has arrived, and the call waits for more. */
const SETTLED_MS = 50;

/** A provider that is silent behind these bytes, and never hangs up by itself. */
describe('a cancel', () => {
  const outbound = new Outbound();
  const sockets: Socket[] = [];
  let answer = '';
  let asked: () => void = () => undefined;
  const server = net.createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.once('data', () => {
      socket.write(answer);
      asked();
    });
  });
  let port = 0;

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => {
    outbound.close();
    server.close();
  });

  const clientOf = (scheme: string): ModelClient => {
    const providers = { stub: { baseUrl: `${scheme}://127.0.0.1:${port}/v1` } };
    return new ModelClient(outbound, new Providers(ProviderTable.parse({ default: 'stub', providers })));
  };

  test.each<[when: string, scheme: 'http' | 'https', answer: string]>([
    ['while the connection is being made', 'https', ''],
    ['while the head of the answer is awaited', 'http', ''],
    ['in the middle of the head', 'http', STREAM.slice(0, 30)],
    ['behind the head, before any byte', 'http', STREAM],
    ['behind nothing but comments', 'http', STREAM + piece(': wait\n\n')],
    ['in the middle of the text', 'http', STREAM + HALF],
    ['in the middle of an event', 'http', STREAM + HALF + piece('data: {"choi')],
    ['in the middle of a call', 'http', STREAM + CALL],
    ['in the middle of an answer in one piece', 'http', JSON_ANSWER + piece('{"choices":')],
    ['in the middle of an error', 'http', head('500 Broken', 'application/json') + piece('{"error":')],
  ])('%s reaches the provider within a second, and nobody is asked again', async (_, scheme, bytes) => {
    answer = bytes;
    const stop = new AbortController();
    const begun = new Promise<void>((resolve) => (asked = resolve));
    const call = clientOf(scheme).callModel({
      handle: 'stub/m',
      instructions: '',
      messages: [],
      parameters: {},
      callId: () => newId(CallId),
      signal: stop.signal,
      onDelta: () => undefined,
    });
    await begun;
    await sleep(SETTLED_MS);
    const closed = Promise.all(sockets.map((socket) => once(socket, 'close')));
    const at = performance.now();
    stop.abort();
    expect(await call).toMatchObject({ ok: false, failure: { code: 'aborted', retryable: false } });
    await closed;
    expect(performance.now() - at).toBeLessThan(1_000);
    expect(sockets).toHaveLength(1);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });
});
