import { framesSubject } from '@parley/contracts';
import { durableFrameId, type FrameBatch, newId, RunId, SessionId, TenantId } from '@parley/core';
import { TestNats } from '@parley/testing';
import { describeFrames } from '../frames.contract.js';
import { NatsFrames } from './nats-frames.js';
import { connectNats } from './nats-link.js';
import { NatsWorld } from './nats-world.contract.js';

describeFrames('NatsFrames', async () => {
  const nats = await TestNats.start();
  const link = connectNats({ url: nats.url(), name: 'frames' });
  await link.connected();
  const close = async (): Promise<void> => {
    await link.close();
    await nats.remove();
  };
  return { frames: new NatsFrames(link), settled: () => link.check(), close };
});

describe('NatsFrames', () => {
  let world: NatsWorld;
  const address = () => ({ tenant: newId(TenantId), session: newId(SessionId) });
  const batch = (of: ReturnType<typeof address>, lengths: readonly number[]): FrameBatch => {
    const run = newId(RunId);
    const after = durableFrameId(1);
    const frames = lengths.map(
      (length, at) =>
        ({ kind: 'delta', id: after + at + 1, run, part: 0, type: 'text', text: 'ü'.repeat(length) }) as const,
    );
    return { ...of, run, after, frames };
  };
  afterEach(() => world.remove());

  it('drops what comes under the subject of another session or tenant, or in no form at all, and says so', async () => {
    world = await NatsWorld.start();
    const [gateway, forger] = [await world.join(), await world.join()];
    const here = address();
    const heard: FrameBatch[] = [];
    gateway.frames.subscribe(here, (one) => heard.push(one));
    await gateway.link.settled();
    const forged = [
      batch({ ...here, session: newId(SessionId) }, [1]),
      batch({ ...here, tenant: newId(TenantId) }, [1]),
      { ...here, frames: 'many' },
    ];
    for (const one of forged) forger.link.publish(framesSubject(here), JSON.stringify(one));
    const own = batch(here, [1]);
    forger.frames.publish(own);
    await forger.link.check();
    await gateway.link.check();
    expect(heard).toEqual([own]);
    expect(world.logged).toHaveLength(3);
    for (const line of world.logged) expect(line).toContain(framesSubject(here));
    expect(world.logged.filter((line) => line.includes('under the name of others'))).toHaveLength(2);
  });

  it('sends a batch that is too large in parts, cut between frames, and leaves out a frame that fits in none', async () => {
    world = await NatsWorld.start('max_payload: 65536\nauthorization { users = [{ user: test, password: test }] }');
    const [gateway, executor] = [await world.join(), await world.join()];
    const here = address();
    const heard: FrameBatch[] = [];
    gateway.frames.subscribe(here, (one) => heard.push(one));
    await gateway.link.settled();
    const sent = batch(here, [10_000, 10_000, 10_000, 40_000, 10_000, 1]);
    executor.frames.publish(sent);
    await executor.link.check();
    await gateway.link.check();

    const [first, second, third, tooLarge, fifth, sixth] = sent.frames;
    expect(heard.map(({ after, frames }) => ({ after, frames }))).toEqual([
      { after: sent.after, frames: [first, second] },
      { after: second?.id, frames: [third] },
      // What follows the one that is missing says so: it is not the next after the third.
      { after: tooLarge?.id, frames: [fifth, sixth] },
    ]);
    expect(world.logged).toEqual([expect.stringMatching(/"frame":1048580.*too large to be sent live/)]);
    expect(executor.link.isUp).toBe(true);
  });

  it('reads again after a time in which nobody read', async () => {
    world = await NatsWorld.start();
    const { link, frames } = await world.join();
    const here = address();
    const heard: FrameBatch[] = [];
    for (const isRead of [true, false, true]) {
      const stop = isRead ? frames.subscribe(here, (one) => heard.push(one)) : () => undefined;
      await link.settled();
      frames.publish(batch(here, [heard.length + 1]));
      await link.check();
      stop();
    }
    expect(heard.map((one) => one.frames[0])).toEqual([
      expect.objectContaining({ text: 'ü' }),
      expect.objectContaining({ text: 'üü' }),
    ]);
  });
});
