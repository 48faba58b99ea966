import { getEventListeners, once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { type Readable } from 'node:stream';
import { Outbound } from './outbound.js';
import { type OutboundRequest } from './outbound-request.js';
import { OutboundError } from './outbound-error.js';

describe('Outbound', () => {
  const outbound = new Outbound();
  const servers: net.Server[] = [];
  const sockets = new Set<net.Socket>();

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
  });
  afterAll(() => outbound.close());

  const listen = async (server: net.Server): Promise<number> => {
    servers.push(server);
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  const serve = (listener: http.RequestListener): Promise<number> => listen(http.createServer(listener));
  const request = (port: number, changes: Partial<OutboundRequest> = {}): OutboundRequest => ({
    url: new URL(`http://127.0.0.1:${port}/v1/thing?q=1`),
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'hello',
    trust: 'operator',
    signal: new AbortController().signal,
    ...changes,
  });
  const textOf = async (body: Readable): Promise<string> => {
    let text = '';
    for await (const chunk of body) text += String(chunk);
    return text;
  };
  const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => 'no error',
      (error: unknown) => (error instanceof OutboundError ? error.code : error),
    );
  const failureOf = (body: Readable): Promise<OutboundError> =>
    new Promise((resolve) => body.resume().once('error', (error) => resolve(OutboundError.from(error))));

  test('sends the request as it is and gives status, headers and body', async () => {
    const port = await serve((incoming, response) => {
      void textOf(incoming).then((said) => {
        response.writeHead(418, { 'x-echo': `${incoming.method} ${incoming.url}` });
        response.end(`${said}, ${incoming.headers['content-length']} bytes`);
      });
    });
    const { status, headers, body } = await outbound.send(request(port));
    expect([status, headers['x-echo'], await textOf(body)]).toEqual([418, 'POST /v1/thing?q=1', 'hello, 5 bytes']);
  });

  test('hands the body on while it is still being written', async () => {
    const port = await serve((_, response) => void response.write('first'));
    const { body } = await outbound.send(request(port));
    expect(String((await once(body, 'data'))[0])).toBe('first');
    body.destroy();
  });

  test('uses a connection again once its answer was read', async () => {
    let connections = 0;
    const server = http.createServer((_, response) => response.end('ok'));
    server.on('connection', () => connections++);
    const port = await listen(server);
    for (let i = 0; i < 5; i++) await textOf((await outbound.send(request(port))).body);
    expect(connections).toBe(1);
  });

  test('does not follow a redirect', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    const { status, body } = await outbound.send(request(port));
    body.resume();
    expect(status).toBe(302);
  });

  test('leaves no listener on the signal behind', async () => {
    const port = await serve((_, response) => response.end('ok'));
    const { signal } = new AbortController();
    for (let i = 0; i < 3; i++) {
      const { body } = await outbound.send(request(port, { signal }));
      await Promise.all([textOf(body), once(body, 'close')]);
    }
    await codeOf(outbound.send(request(1, { signal })));
    await new Promise((done) => setTimeout(done, 20));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  describe('fails with', () => {
    test('connect_failed where nobody listens', async () => {
      const port = await serve(() => undefined);
      await new Promise((done) => servers.pop()?.close(done));
      expect(await codeOf(outbound.send(request(port)))).toBe('connect_failed');
    });

    test('connect_failed where the other side does not speak TLS', async () => {
      const port = await serve((_, response) => response.end());
      const url = new URL(`https://127.0.0.1:${port}/`);
      expect(await codeOf(outbound.send(request(port, { url })))).toBe('connect_failed');
    });

    test('timeout where the connection is not made in time', async () => {
      const port = await listen(net.createServer());
      const url = new URL(`https://127.0.0.1:${port}/`); // TCP is there at once, TLS never
      expect(await codeOf(outbound.send(request(port, { url, connectTimeoutMs: 50 })))).toBe('timeout');
    });

    test('bad_answer where the answer is not HTTP', async () => {
      const port = await listen(net.createServer((socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n'))));
      expect(await codeOf(outbound.send(request(port)))).toBe('bad_answer');
    });

    test('reset where the connection closes before an answer', async () => {
      const port = await listen(net.createServer((socket) => socket.once('data', () => socket.end())));
      expect(await codeOf(outbound.send(request(port)))).toBe('reset');
    });

    test('reset where the other side switches protocols', async () => {
      const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';
      const port = await listen(net.createServer((socket) => socket.once('data', () => socket.write(switching))));
      expect(await codeOf(outbound.send(request(port)))).toBe('reset');
    });

    test.each([
      ['closed', (socket: net.Socket) => socket.destroy()],
      ['reset', (socket: net.Socket) => socket.resetAndDestroy()],
    ])('reset from the body when the connection is %s in the middle of it', async (_, cut) => {
      const port = await serve((incoming, response) => {
        response.write('half');
        setTimeout(() => cut(incoming.socket), 20);
      });
      const { body } = await outbound.send(request(port));
      expect((await failureOf(body)).code).toBe('reset');
    });
  });

  describe('a kept connection that the other side is just closing', () => {
    /** Serves one request a connection and breaks off at the second. */
    const serveOnce = (counts: { served: number; broken: number }): Promise<number> =>
      listen(
        net.createServer((socket) => {
          socket.once('data', () => {
            counts.served++;
            socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
            socket.once('data', () => {
              counts.broken++;
              socket.resetAndDestroy();
            });
          });
        }),
      );

    test('is no failure of a repeatable request: it is sent again', async () => {
      const counts = { served: 0, broken: 0 };
      const port = await serveOnce(counts);
      for (let i = 0; i < 3; i++) {
        const { body } = await outbound.send(request(port, { repeatable: true }));
        expect(await textOf(body)).toBe('ok');
      }
      expect(counts.served).toBe(3);
    });

    test('is not exchanged for another kept one', async () => {
      const counts = { served: 0, broken: 0 };
      const port = await serveOnce(counts);
      const both = await Promise.all([1, 2].map(() => outbound.send(request(port))));
      await Promise.all(both.map(({ body }) => textOf(body)));
      await textOf((await outbound.send(request(port, { repeatable: true }))).body);
      expect(counts).toEqual({ served: 3, broken: 1 });
    });

    test('is a reset of any other request', async () => {
      const port = await serveOnce({ served: 0, broken: 0 });
      await textOf((await outbound.send(request(port))).body);
      expect(await codeOf(outbound.send(request(port)))).toBe('reset');
    });

    test('is tried again once, not for ever', async () => {
      let requests = 0;
      const port = await listen(
        net.createServer((socket) => {
          socket.on('data', () => {
            if (requests++ === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
            else socket.resetAndDestroy();
          });
        }),
      );
      await textOf((await outbound.send(request(port))).body);
      expect(await codeOf(outbound.send(request(port, { repeatable: true })))).toBe('reset');
      expect(requests).toBe(3);
    });
  });

  describe('an abort', () => {
    /** Aborts 30 ms after the start; answers what the caller got, and after how long the server saw its socket close. */
    const abortDuring = async (
      port: number,
      server: net.Server,
      changes: Partial<OutboundRequest> = {},
    ): Promise<{ code: unknown; ms: number }> => {
      const stop = new AbortController();
      const closed = new Promise<void>((done) => {
        server.once('connection', (socket: net.Socket) => socket.once('close', () => done()));
      });
      let at = 0;
      setTimeout(() => {
        at = performance.now();
        stop.abort();
      }, 30);
      const sent = outbound.send(request(port, { signal: stop.signal, ...changes }));
      const code = await codeOf(sent.then(({ body }) => failureOf(body).then((error) => Promise.reject(error))));
      await closed;
      return { code, ms: performance.now() - at };
    };
    const expectAborted = ({ code, ms }: { code: unknown; ms: number }): void => {
      expect(code).toBe('aborted');
      expect(ms).toBeLessThan(1_000);
    };

    test('before the request makes no connection', async () => {
      let connections = 0;
      const port = await listen(net.createServer(() => connections++));
      expect(await codeOf(outbound.send(request(port, { signal: AbortSignal.abort() })))).toBe('aborted');
      await new Promise((done) => setTimeout(done, 30));
      expect(connections).toBe(0);
    });

    test('while TLS is being agreed closes the socket at once', async () => {
      const server = net.createServer((socket) => socket.resume());
      const port = await listen(server);
      expectAborted(await abortDuring(port, server, { url: new URL(`https://127.0.0.1:${port}/`) }));
    });

    test('while the body is being sent closes the socket at once', async () => {
      const server = net.createServer((socket) => {
        socket.pause();
        setTimeout(() => socket.resume(), 60); // who does not read does not see a close either
      });
      expectAborted(await abortDuring(await listen(server), server, { body: Buffer.alloc(32 * 2 ** 20) }));
    });

    test('while the answer is awaited closes the socket at once', async () => {
      const server = http.createServer(() => undefined);
      expectAborted(await abortDuring(await listen(server), server));
    });

    test('in the middle of the body closes the socket at once', async () => {
      const server = http.createServer((_, response) => void response.write('half'));
      expectAborted(await abortDuring(await listen(server), server));
    });
  });
});
