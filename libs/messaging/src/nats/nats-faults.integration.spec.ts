import { setTimeout as sleep } from 'node:timers/promises';
import { event, rpc } from '@parley/contracts';
import { durableFrameId, type FrameBatch, newId, PlatformError, RunId, SessionId, TenantId } from '@parley/core';
import { type Msg } from '@nats-io/transport-node';
import { z } from 'zod';
import { type Call } from '../call.js';
import { type Answerer, NatsResponder } from './nats-responder.js';
import { NatsServer } from './nats-server.js';
import { type Ending, endingOf, NatsWorld, type Side } from './nats-world.contract.js';

/** How soon whoever asks is told that NATS is away, and how soon all works when it is back, in milliseconds. */
const TOLD_MS = 5_000;
const RECOVERY_MS = 10_000;

const Text = z.object({ text: z.string() });
const probe = (verb: string, timeoutMs: number) =>
  rpc({ subject: `rpc.probe.${verb}`, request: Text, response: Text, errors: [], timeoutMs });
const ask = probe('ask', 20_000);
/** The same question of somebody in a hurry. */
const askBriefly = probe('ask', 300);
/** A question that each test answers in its own way. */
const wait = probe('wait', 20_000);
const waitBriefly = probe('wait', 300);
const rang = event({
  subject: ({ bell }: { bell: string }) => `event.bell.${bell}.rang`,
  pattern: 'event.bell.*.rang',
  payload: Text,
});

const echo: Answerer = async (request) => request;

/** One process that asks and hears, one that answers and tells. */
class Scene {
  readonly heard: string[] = [];
  readonly #address = { tenant: newId(TenantId), session: newId(SessionId) };
  #told = 0;

  constructor(
    readonly asker: Side,
    readonly answerer: Side,
  ) {
    new NatsResponder(answerer.link, ask.subject, echo, 'probe');
    asker.bus.subscribe(rang, ({ text }) => this.heard.push(text));
    asker.frames.subscribe(this.#address, ({ after }) => this.heard.push(`frames after ${after}`));
  }

  ask(): Promise<Ending> {
    return endingOf(() => this.asker.bus.request(ask, { text: 'x' }));
  }

  /** Tells an event and sends frames; answers what is to be heard of it. */
  tell(): string[] {
    const number = ++this.#told;
    this.answerer.bus.publish(rang, { bell: 'a' }, { text: `bell ${number}` });
    const batch: FrameBatch = { ...this.#address, run: newId(RunId), after: durableFrameId(number), frames: [] };
    this.answerer.frames.publish(batch);
    return [`bell ${number}`, `frames after ${batch.after}`];
  }

  /** Resolves when what was sent on either side has arrived. */
  async settled(): Promise<void> {
    for (const { link } of [this.answerer, this.asker, this.answerer, this.asker]) await link.settled();
  }

  /** Sees a question, an event and frames go through; answers how long that took to come about. */
  async works(): Promise<number> {
    const start = performance.now();
    await this.settled();
    expect(await this.ask()).toMatchObject({ code: 'answered' });
    this.heard.length = 0;
    const told = this.tell();
    await this.settled();
    expect(this.heard).toEqual(told);
    return performance.now() - start;
  }
}

describe('the bus and frames while NATS is not well', () => {
  let world: NatsWorld;
  /** Ends what a test does meanwhile, also where the test fails. */
  let over: AbortController;
  beforeEach(() => {
    over = new AbortController();
  });
  afterEach(async () => {
    over.abort();
    await world.remove();
  });

  const start = async (): Promise<Scene> => {
    world = await NatsWorld.start();
    return new Scene(await world.join(), await world.join());
  };

  it('killed and back, again and again: nobody waits for what is not there, and all works when it is', async () => {
    const scene = await start();
    const { asker, answerer } = scene;
    let arrived: () => void = () => undefined;
    answerer.link.subscribe(wait.subject, () => arrived());
    await scene.works();
    const endings: Ending[] = [];
    const flow = (async () => {
      for (; !over.signal.aborted; await sleep(5)) endings.push(await scene.ask());
    })();
    for (const awayMs of [0, 0, 0, 0, 1_500]) {
      const arrival = new Promise<void>((resolve) => (arrived = resolve));
      const waiting = endingOf(() => asker.bus.request(wait, { text: 'x' }));
      await arrival;
      const killedAt = performance.now();
      await world.nats.kill();
      expect(await waiting).toMatchObject({ code: 'unavailable', message: 'the message bus is away' });
      expect(performance.now() - killedAt).toBeLessThan(TOLD_MS);
      expect([asker.link.isUp, (await scene.ask()).code]).toEqual([false, 'unavailable']);
      await expect(asker.link.check()).rejects.toThrow('the message bus is away');
      scene.tell();
      await sleep(awayMs);
      await world.nats.start();
      expect(await scene.works()).toBeLessThan(RECOVERY_MS);
    }
    over.abort();
    await flow;
    expect(new Set(endings.map(({ code }) => code))).toEqual(new Set(['answered', 'unavailable']));
    expect(Math.max(...endings.map(({ afterMs }) => afterMs))).toBeLessThan(TOLD_MS);
    expect(world.logged.filter((line) => line.includes('the connection to NATS is gone'))).toHaveLength(10);
  });

  it('absent at the start: questions fail at once, services wait for it, and all works once it is there', async () => {
    world = await NatsWorld.create();
    const scene = new Scene(world.open(), world.open());
    const server = new NatsServer(scene.answerer.link, 'probe');
    server.addHandler(wait.subject, async (request) => request as object);
    const listening = new Promise<void>((resolve, reject) =>
      server.listen((error) => (error ? reject(error) : resolve())),
    );
    const ending = await scene.ask();
    expect(ending).toMatchObject({ code: 'unavailable', message: 'the message bus is away' });
    expect(ending.afterMs).toBeLessThan(TOLD_MS);
    scene.tell();
    await expect(scene.asker.link.check()).rejects.toThrow('the message bus is away');

    await world.nats.start();
    await listening;
    expect(await scene.works()).toBeLessThan(RECOVERY_MS);
    expect(await scene.asker.bus.request(wait, { text: 'x' })).toEqual({ text: 'x' });
    for (const line of world.logged) expect(line).toContain('NATS cannot be reached');
    expect(world.logged).toHaveLength(2);
  });

  it('half-open: who waits is told within its time, or when the silence has lasted, and all works when it goes on', async () => {
    const scene = await start();
    await scene.works();
    await world.nats.pause();
    const patient = scene.ask();
    const brief = await endingOf(() => scene.asker.bus.request(askBriefly, { text: 'x' }));
    expect(brief.code).toBe('timeout');
    expect(brief.afterMs).toBeLessThan(TOLD_MS);
    const { code, afterMs } = await patient;
    expect(code).toBe('unavailable');
    expect(afterMs).toBeLessThan(ask.timeoutMs / 2);
    expect((await scene.ask()).code).toBe('unavailable');

    world.nats.resume();
    expect(await scene.works()).toBeLessThan(RECOVERY_MS);
  });

  it('answers that come twice, in another order or too late go to no other question', async () => {
    const scene = await start();
    const { asker, answerer } = scene;
    const held: Msg[] = [];
    let arrived: () => void = () => undefined;
    answerer.link.subscribe(wait.subject, (message) => {
      held.push(message);
      if (held.length === 3) arrived();
    });
    await scene.settled();
    const all = new Promise<void>((resolve) => (arrived = resolve));
    const late = endingOf(() => asker.bus.request(waitBriefly, { text: 'late' }));
    const answers = ['first', 'second'].map((text) => asker.bus.request(wait, { text }));
    await all;
    expect((await late).code).toBe('timeout');
    for (const message of held.toReversed()) {
      message.respond(message.data);
      message.respond('{"text":"once more"}');
    }
    expect(await Promise.all(answers)).toEqual([{ text: 'first' }, { text: 'second' }]);
    await scene.works();
    expect(world.logged).toEqual([]);
  });

  it('what is too large, either way, is told by its code and harms nobody else', async () => {
    world = await NatsWorld.start('max_payload: 65536\nauthorization { users = [{ user: test, password: test }] }');
    const scene = new Scene(await world.join(), await world.join());
    const large = 'x'.repeat(70_000);
    const answering: Answerer = async (request) => {
      if ((request as { text: string }).text === 'answer') return { text: large };
      throw new PlatformError('conflict', large);
    };
    new NatsResponder(scene.answerer.link, wait.subject, answering);
    await scene.settled();
    const small = Array.from({ length: 100 }, () => scene.ask());
    const endings = await Promise.all([
      endingOf(() => scene.asker.bus.request(ask, { text: large })),
      endingOf(() => scene.asker.bus.request(wait, { text: 'answer' })),
      endingOf(() => scene.asker.bus.request(wait, { text: 'error' })),
    ]);
    for (const { message } of endings.slice(0, 2)) expect(message).toMatch(/has 70\d+ bytes, and may have 61440/);
    expect(endings.map(({ code }) => code)).toEqual(['too_large', 'too_large', 'conflict']);
    scene.answerer.bus.publish(rang, { bell: 'a' }, { text: large });
    expect(new Set((await Promise.all(small)).map(({ code }) => code))).toEqual(new Set(['answered']));
    await scene.works();
    expect(world.logged).toEqual([expect.stringContaining('an event could not be sent')]);
  });

  it('a question that nobody serves is asked once more, then fails', async () => {
    const { asker } = await start();
    const ending = await endingOf(() => asker.bus.request(wait, { text: 'x' }));
    expect(ending).toMatchObject({
      code: 'unavailable',
      message: 'rpc.probe.wait cannot be asked: nobody serves it',
    });
    expect(ending.afterMs).toBeLessThan(TOLD_MS);

    // What goes over one connection arrives in its order: the question first, then the news of who serves it.
    const answer = asker.bus.request(wait, { text: 'found' });
    new NatsResponder(asker.link, wait.subject, echo);
    expect(await answer).toEqual({ text: 'found' });
  });

  it('a slow handler sees how long its caller waits, and the end of it', async () => {
    const scene = await start();
    let seen: (call: Call) => void;
    const called = new Promise<Call>((resolve) => (seen = resolve));
    new NatsResponder(scene.answerer.link, wait.subject, async (request, call) => {
      seen(call);
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      return request;
    });
    await scene.settled();
    const ending = endingOf(() => scene.asker.bus.request(waitBriefly, { text: 'x' }));
    const call = await called;
    expect(call.remainingMs).toBeLessThanOrEqual(waitBriefly.timeoutMs);
    expect((await ending).code).toBe('timeout');
    while (!call.signal.aborted) await sleep(1);
    expect(call.remainingMs).toBe(0);
    await scene.works();
  });

  it('a service that ends under load answers what it took, and the others take the rest', async () => {
    world = await NatsWorld.start();
    const asker = await world.join();
    const answered = [0, 0];
    const serve = async (at: number) => {
      const { link } = await world.join();
      const server = new NatsServer(link, 'probe');
      server.addHandler(ask.subject, async (request) => {
        await sleep(10);
        answered[at] = (answered[at] ?? 0) + 1;
        return request as object;
      });
      await new Promise<void>((resolve, reject) => server.listen((error) => (error ? reject(error) : resolve())));
      return { server, link };
    };
    const [leaving, staying] = [await serve(0), await serve(1)];
    const endings: Ending[] = [];
    const askers = Array.from({ length: 20 }, async () => {
      for (let count = 0; count < 25; count++) {
        endings.push(await endingOf(() => asker.bus.request(ask, { text: 'x' })));
      }
    });
    while (endings.length < 150) await sleep(1);
    await leaving.server.close();
    await leaving.link.close();
    const [left] = answered;
    await Promise.all(askers);
    expect(endings.filter(({ code }) => code !== 'answered')).toEqual([]);
    expect(endings).toHaveLength(500);
    expect(left).toBeGreaterThan(0);
    expect(answered).toEqual([left, 500 - (left ?? 0)]);
    await staying.server.close();
  });
});
