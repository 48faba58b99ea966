import { type AddressInfo, connect, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import { SseWriter } from './sse-writer.js';

describe('a stream of events', () => {
  let server: FastifyInstance;
  let client: Socket;
  let writer: SseWriter;
  let written: jest.SpiedFunction<(chunk: string) => boolean>;
  let flushed: jest.SpiedFunction<() => void>;

  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    server = fastify({ forceCloseConnections: true });
    const open = (reply: FastifyReply): void => {
      reply.header('x-request-id', 'req_1');
      written = jest.spyOn(reply.raw, 'write') as typeof written;
      flushed = jest.spyOn(reply.raw, 'flushHeaders');
      writer = new SseWriter(reply, 201);
    };
    const opened = new Promise<void>((resolve) => {
      server.get('/', (_request, reply) => {
        open(reply);
        resolve();
      });
    });
    server.get('/at-once', async (_request, reply) => {
      await Promise.resolve(); // as behind the admission of a run
      open(reply);
      await Promise.resolve();
      writer.write('data: é\n\n');
      return reply;
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    client = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await opened;
  });
  afterEach(async () => {
    jest.useRealTimers();
    client.destroy();
    await server.close();
  });

  const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  const heard = async (): Promise<string> => {
    let text = '';
    client.on('data', (chunk: Buffer) => (text += chunk.toString()));
    for (let n = 0; n < 20; n++) await tick();
    return text;
  };

  it('has its head out before there is anything to say', async () => {
    const head = await heard();
    expect(head).toMatch(/^HTTP\/1\.1 201 /);
    expect(head.toLowerCase()).toContain('content-type: text/event-stream\r\n');
    expect(head.toLowerCase()).toContain('x-accel-buffering: no\r\n');
    expect(head.toLowerCase()).toContain('x-request-id: req_1\r\n');
    expect(head).toMatch(/\r\n\r\n$/);
  });

  it('has its head in one write with what is said in the same tick', async () => {
    client.write('GET /at-once HTTP/1.1\r\nHost: x\r\n\r\n');
    writer.end();
    expect(await heard()).toMatch(/HTTP\/1\.1 201 [^]*\r\n\r\na\r\ndata: é\n\n\r\n$/);
    expect(written).toHaveBeenCalledTimes(1);
    expect(flushed).not.toHaveBeenCalled();
  });

  it('writes what came in one tick in one write', async () => {
    writer.write('data: 1\n\n');
    await Promise.resolve();
    writer.write('data: 2\n\n');
    writer.write('data: 3\n\n');
    await tick();
    expect(written.mock.calls.map(([text]) => text)).toEqual([chunk('data: 1\n\ndata: 2\n\ndata: 3\n\n')]);
    writer.write('data: 4\n\n');
    await tick();
    expect(written).toHaveBeenCalledTimes(2);
  });

  it('ends with what was written last, in one write', async () => {
    writer.write('data: last\n\n');
    writer.end();
    expect(await heard()).toMatch(/data: last\n\n\r\n0\r\n\r\n$/);
    expect(written).not.toHaveBeenCalled();
  });

  it('shows that it lives each 15 s, until it ends', async () => {
    jest.advanceTimersByTime(15_000);
    await tick();
    jest.advanceTimersByTime(15_000);
    await tick();
    expect(written.mock.calls.map(([text]) => text)).toEqual([chunk(': ping\n\n'), chunk(': ping\n\n')]);
    writer.end();
    jest.advanceTimersByTime(60_000);
    await tick();
    expect(written).toHaveBeenCalledTimes(2);
  });

  it('is not cut into chunks for a client of HTTP/1.0, which knows none', async () => {
    const old = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    old.on('data', (bytes: Buffer) => (text += bytes.toString()));
    const closed = new Promise((resolve) => old.once('close', resolve));
    const former = writer;
    old.write('GET / HTTP/1.0\r\nHost: x\r\n\r\n');
    while (writer === former) await tick();
    writer.write('data: 1\n\n');
    await tick();
    writer.end();
    await closed;
    expect(text).toMatch(/\r\n\r\ndata: 1\n\n$/);
    former.end();
  });

  it('waits for a client that does not read, and cuts it when it takes nothing for 30 s', async () => {
    client.pause();
    for (let n = 0; n < 400; n++) writer.write('x'.repeat(64 * 1024));
    await tick();
    let isDrained = false;
    const drained = writer.drained().then(() => (isDrained = true));
    jest.advanceTimersByTime(29_000);
    await tick();
    expect(isDrained).toBe(false);
    jest.advanceTimersByTime(1_000);
    await drained;
    const closed = new Promise((resolve) => client.once('close', resolve));
    client.resume();
    await closed;
  });

  it('goes on when the client reads again', async () => {
    client.pause();
    for (let n = 0; n < 400; n++) writer.write('x'.repeat(64 * 1024));
    await tick();
    let size = 0;
    client.on('data', (chunk: Buffer) => (size += chunk.length)).resume();
    await writer.drained();
    expect(size).toBeGreaterThan(1_000_000);
    writer.write('data: more\n\n');
    await tick();
    expect(written).toHaveBeenLastCalledWith(chunk('data: more\n\n'));
  });

  it('minds no writing to a client that is gone', async () => {
    client.destroy();
    for (let n = 0; n < 20; n++) await tick();
    writer.write('data: 1\n\n');
    await tick();
    await writer.drained();
    writer.end();
    writer.cut();
    expect(written).not.toHaveBeenCalled();
  });
});
