import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { admitRun, createAgent, createSession } from '@parley/contracts';
import { AgentId, DEFAULT_BUDGET, newId, type OnDisconnect, RunId, SessionId, TenantId } from '@parley/core';
import { PartBlobs, ReferenceBlobStore } from '@parley/persistence';
import { FakePlatform, type Script } from '@parley/testing';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import { breakOff, departureOf } from '../http/door/departure.js';
import { RunWatch } from './run-watch.js';
import { type SessionStream } from './session-stream.js';
import { SessionStreams } from './session-streams.js';

const address = { tenant: newId(TenantId), session: newId(SessionId) };
const agent = newId(AgentId);
const described = { name: 'spec', description: null, metadata: {}, facets: {}, enabled: true };
const model = { handle: 'simulator/sim-1-0', parameters: {} };

/** Waits for what a turn of the event loop brings, but not for ever. */
const until = async (holds: () => boolean): Promise<void> => {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 1_000) throw new Error('it never came to hold');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};

/** Says something, and goes on for as long as it is let. */
const endless: Script = async (turn) => {
  await turn.say('well');
  for (;;) await turn.pause(5);
};

describe('a run whose client goes away', () => {
  let platform: FakePlatform;
  let server: FastifyInstance;
  let client: Socket;
  let reply: FastifyReply;
  let stream: SessionStream;
  let policy: OnDisconnect | undefined;
  let timeLimit: AbortController;
  let beforeRead: () => Promise<void>;
  let answered: Promise<void>;
  let over: Promise<void>;

  beforeEach(async () => {
    [policy, timeLimit, beforeRead] = ['cancel', new AbortController(), async () => undefined];
    platform = new FakePlatform(endless);
    const definition = { ...described, model, instructions: [], budget: DEFAULT_BUDGET };
    await platform.request(createAgent, { tenant: address.tenant, id: agent, key: 'a', definition });
    await platform.request(createSession, {
      tenant: address.tenant,
      id: address.session,
      agent,
      key: 's',
      ...described,
    });
    const blobs = new PartBlobs(new ReferenceBlobStore());
    const streams = new SessionStreams(platform, platform.frames, new RunWatch(platform), blobs);
    server = fastify({ forceCloseConnections: true });
    answered = new Promise((resolve) => {
      server.get('/', async (_request, given) => {
        reply = given.hijack();
        stream = streams.open(address, AbortSignal.any([departureOf(reply), timeLimit.signal]));
        over = follow();
        resolve();
      });
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(async () => {
    client.destroy();
    timeLimit.abort();
    await over;
    await server.close();
    const [log] = platform.sessions.logs();
    if (log?.active) log.cancel(log.active.run, null);
  });

  /** Sends the request; the run is admitted while the answer is made. */
  const ask = async (): Promise<void> => {
    client = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await answered;
  };
  const hear = async (): Promise<void> => {
    await ask();
    await once(client, 'data');
  };

  /** Admits a run, as a dialect does, and reads it to its end. */
  const follow = async (): Promise<void> => {
    const run = newId(RunId);
    const policies = { whenBusy: 'defer', whenWaiting: 'defer' } as const;
    const parts = [{ type: 'text' as const, text: 'hi', origin: 'user' as const }];
    await platform.request(admitRun, { ...address, id: run, agent, parts, ...policies });
    await beforeRead();
    const reading = { after: 0, until: { run }, ...(policy && { onDisconnect: policy }) };
    for await (const frames of stream.read(reading)) reply.raw.write(`${frames.length}\n`);
    if (stream.end?.why === 'ended') reply.raw.end();
  };

  const events = (): string[] => (platform.sessions.logs()[0]?.events ?? []).map(({ body }) => body.kind);
  const ended = async (): Promise<void> => until(() => events().includes('run_ended'));
  const isSpared = async (): Promise<void> => {
    await over;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(stream.end).toEqual({ why: 'left' });
    expect(platform.count('rpc.run.cancel')).toBe(0);
    expect(events()).not.toContain('run_ended');
  };

  it('is cancelled where its admission said so', async () => {
    await hear();
    client.destroy();
    await ended();
    const last = platform.sessions.logs()[0]?.events.at(-1)?.body;
    expect(last).toMatchObject({ kind: 'run_ended', state: 'cancelled', reason: 'disconnected' });
  });

  it('is cancelled where the client left before it heard anything', async () => {
    beforeRead = async () => {
      client.destroy();
      await once(reply.raw, 'close');
    };
    await ask();
    await ended();
    expect(platform.count('rpc.run.cancel')).toBe(1);
  });

  it.each([['continue' as const], [undefined]])('goes on where its admission said %s', async (said) => {
    policy = said;
    await hear();
    client.destroy();
    await isSpared();
  });

  it('goes on where its time was up', async () => {
    await hear();
    timeLimit.abort();
    await isSpared();
  });

  it('goes on where the gateway broke the stream off', async () => {
    await hear();
    breakOff(reply);
    await isSpared();
  });

  it('goes on where the gateway ends', async () => {
    await hear();
    await server.close();
    await isSpared();
  });

  it('is not cancelled once it has ended', async () => {
    await hear();
    platform.sessions.logs()[0]?.end('succeeded', null);
    await over;
    client.destroy();
    await once(client, 'close');
    expect(stream.end).toMatchObject({ why: 'ended', state: 'succeeded' });
    expect(platform.count('rpc.run.cancel')).toBe(0);
  });
});
