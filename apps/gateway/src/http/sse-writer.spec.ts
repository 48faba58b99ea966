import { type AddressInfo, connect, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { SseWriter } from './sse-writer.js';

describe('a stream of events', () => {
  let server: FastifyInstance;
  let client: Socket;
  let writer: SseWriter;
  let written: jest.SpiedFunction<(chunk: string) => boolean>;

  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    server = fastify({ forceCloseConnections: true });
    const opened = new Promise<void>((resolve) => {
      server.get('/', (_request, reply) => {
        reply.header('x-request-id', 'req_1');
        writer = new SseWriter(reply, 201);
        written = jest.spyOn(reply.raw, 'write') as typeof written;
        resolve();
      });
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
  });

  it('writes what came in one tick in one write', async () => {
    writer.write('data: 1\n\n');
    await Promise.resolve();
    writer.write('data: 2\n\n');
    writer.write('data: 3\n\n');
    await tick();
    expect(written.mock.calls.map(([chunk]) => chunk)).toEqual(['data: 1\n\ndata: 2\n\ndata: 3\n\n']);
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
    expect(written.mock.calls.map(([chunk]) => chunk)).toEqual([': ping\n\n', ': ping\n\n']);
    writer.end();
    jest.advanceTimersByTime(60_000);
    await tick();
    expect(written).toHaveBeenCalledTimes(2);
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
    expect(written).toHaveBeenLastCalledWith('data: more\n\n');
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
