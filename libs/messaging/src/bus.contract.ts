import { Controller, Logger, type LoggerService, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type CustomTransportStrategy } from '@nestjs/microservices';
import { event, type ParsedOf, type RequestOf, rpc } from '@parley/contracts';
import { PlatformError } from '@parley/core';
import 'reflect-metadata';
import { z } from 'zod';
import { type Bus } from './bus.js';
import { type Call } from './call.js';
import { Handles } from './handles.js';
import { MAX_MESSAGE_BYTES } from './max-message.js';

/** One form of the bus, both ends of it. */
export interface BusForm {
  bus: Bus;
  strategy: CustomTransportStrategy;
  /** Resolves when what was subscribed to is known, and what was sent is heard. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const echo = rpc({
  subject: 'rpc.probe.echo',
  request: z.object({ text: z.string(), at: z.coerce.date(), nothing: z.string().optional() }),
  response: z.object({ text: z.string(), at: z.coerce.date(), sameObject: z.boolean() }),
  errors: [],
  timeoutMs: 2_000,
});
const refuse = rpc({
  subject: 'rpc.probe.refuse',
  request: z.object({}),
  response: z.object({}),
  errors: ['conflict'],
  timeoutMs: 2_000,
});
const break_ = rpc({ ...refuse, subject: 'rpc.probe.break' });
const lie = rpc({ ...refuse, subject: 'rpc.probe.lie', response: z.object({ count: z.number() }) });
const hang = rpc({ ...refuse, subject: 'rpc.probe.hang', timeoutMs: 100 });
const remaining = rpc({
  subject: 'rpc.probe.remaining',
  request: z.object({}),
  response: z.object({ remainingMs: z.number(), aborts: z.boolean() }),
  errors: [],
  timeoutMs: 2_000,
});
const fill = rpc({
  subject: 'rpc.probe.fill',
  request: z.object({ length: z.number() }),
  response: z.object({ text: z.string() }),
  errors: [],
  timeoutMs: 20_000,
});
const nobodys = rpc({ ...refuse, subject: 'rpc.probe.nobodys' });
const greet = rpc({
  subject: 'rpc.probe.greet',
  to: 'house',
  request: z.object({ house: z.number(), name: z.string() }),
  response: z.object({ text: z.string(), remainingMs: z.number() }),
  errors: ['not_found'],
  timeoutMs: 500,
});
const rang = event({
  subject: ({ bell }: { bell: string }) => `event.bell.${bell}.rang`,
  pattern: 'event.bell.*.rang',
  payload: z.object({ bell: z.string(), at: z.coerce.date() }),
});

const seen = new Set<unknown>();

@Controller()
class Probe {
  @Handles(echo)
  async echo({ text, at }: ParsedOf<typeof echo>): Promise<{ text: string; at: Date; sameObject: boolean }> {
    return { text, at: new Date(at.getTime() + 1), sameObject: seen.has(at) };
  }

  @Handles(refuse)
  async refuse(): Promise<Record<string, never>> {
    throw new PlatformError('conflict', 'it exists already', { noun: 'probe', id: '1' });
  }

  @Handles(break_)
  async break(): Promise<Record<string, never>> {
    throw new Error('password is hunter2');
  }

  @Handles(lie)
  async lie(): Promise<{ count: number }> {
    return JSON.parse('{"count":"many"}') as { count: number };
  }

  @Handles(hang)
  async hang(): Promise<Record<string, never>> {
    return await new Promise((resolve) => setTimeout(() => resolve({}), 400));
  }

  @Handles(fill)
  async fill({ length }: ParsedOf<typeof fill>): Promise<{ text: string }> {
    return { text: 'ü'.repeat(length) };
  }

  @Handles(remaining)
  async remaining(_request: object, call: Call): Promise<{ remainingMs: number; aborts: boolean }> {
    return { remainingMs: call.remainingMs, aborts: call.signal instanceof AbortSignal };
  }
}

@Module({ controllers: [Probe] })
class ProbeModule {}

const failureOf = async (promise: Promise<unknown>): Promise<PlatformError> => {
  const outcome = await promise.then(
    () => 'answered',
    (error: unknown) => error,
  );
  if (!(outcome instanceof PlatformError)) throw new TypeError(`expected a PlatformError, got ${String(outcome)}`);
  return outcome;
};

/** What every form of `Bus` does. */
export const describeBus = (name: string, makeForm: () => Promise<BusForm>): void => {
  describe(`${name} as a Bus`, () => {
    let form: BusForm;
    let service: Awaited<ReturnType<typeof NestFactory.createMicroservice>>;
    const logged: string[] = [];

    beforeAll(async () => {
      form = await makeForm();
      const keep = (...lines: unknown[]): void => void logged.push(lines.map(printed).join(' '));
      const logger: LoggerService = { log: () => undefined, error: keep, warn: keep };
      service = await NestFactory.createMicroservice(ProbeModule, { strategy: form.strategy, logger });
      await service.listen();
    });

    afterAll(async () => {
      await service.close();
      await form.close();
      Logger.overrideLogger(['error', 'warn']);
    });

    it('carries dates as text and parses them back, and copies what it carries', async () => {
      const at = new Date('2026-01-02T03:04:05.678Z');
      seen.add(at);
      const answer = await form.bus.request(echo, { text: 'wörd', at, nothing: undefined });
      expect(answer).toEqual({ text: 'wörd', at: new Date('2026-01-02T03:04:05.679Z'), sameObject: false });
    });

    it('refuses a request that its contract does not allow, with the place and the reason', async () => {
      const request = JSON.parse('{"text":1}') as { text: string; at: Date };
      const error = await failureOf(form.bus.request(echo, request));
      expect(error.code).toBe('invalid_input');
      expect(error.details.issues?.map(({ path }) => path)).toEqual(['text', 'at']);
    });

    it('brings what the callee threw, code and details', async () => {
      const error = await failureOf(form.bus.request(refuse, {}));
      expect(error.toJSON()).toEqual({
        code: 'conflict',
        message: 'it exists already',
        details: { noun: 'probe', id: '1' },
      });
    });

    it('hides an unexpected failure from the caller and tells the log', async () => {
      const error = await failureOf(form.bus.request(break_, {}));
      expect(error.toJSON()).toEqual({ code: 'internal', message: 'unexpected failure', details: {} });
      expect(logged.join('\n')).toContain('password is hunter2');
    });

    it('refuses an answer that its contract does not allow', async () => {
      const error = await failureOf(form.bus.request(lie, {}));
      expect(error.code).toBe('internal');
      expect(printed(error.cause)).toContain('count');
    });

    it('refuses what no wire can carry, asked or answered, with the limit, and goes on', async () => {
      const fits = Math.floor((MAX_MESSAGE_BYTES - 100) / 2);
      expect((await form.bus.request(fill, { length: fits })).text).toHaveLength(fits);
      const asked = form.bus.request(echo, { text: 'x'.repeat(64 * 2 ** 20), at: new Date() });
      const answered = form.bus.request(fill, { length: 10 * 2 ** 20 });
      for (const error of [await failureOf(asked), await failureOf(answered)]) {
        expect(error.code).toBe('too_large');
        expect(error.message).toContain(String(MAX_MESSAGE_BYTES));
      }
      expect((await form.bus.request(fill, { length: 1 })).text).toBe('ü');
    });

    it('fails at once when nobody serves the subject', async () => {
      const started = performance.now();
      const error = await failureOf(form.bus.request(nobodys, {}));
      expect(error.code).toBe('unavailable');
      expect(performance.now() - started).toBeLessThan(nobodys.timeoutMs / 4);
    });

    it('stops waiting after the time that the contract gives', async () => {
      const started = performance.now();
      const error = await failureOf(form.bus.request(hang, {}));
      expect(error.code).toBe('timeout');
      expect(performance.now() - started).toBeLessThan(390);
    });

    it('stops waiting when the caller gives up', async () => {
      const error = await failureOf(form.bus.request(hang, {}, { signal: AbortSignal.timeout(10) }));
      expect(error.code).toBe('timeout');
    });

    it('does not ask at all when the deadline has passed', async () => {
      const error = await failureOf(form.bus.request(refuse, {}, { deadline: new Date(Date.now() - 1) }));
      expect(error.code).toBe('timeout');
    });

    it("tells the callee the caller's deadline", async () => {
      const near = await form.bus.request(remaining, {}, { deadline: new Date(Date.now() + 500) });
      expect(near.remainingMs).toBeGreaterThan(250);
      expect(near.remainingMs).toBeLessThanOrEqual(500);
      expect(near.aborts).toBe(true);
      const far = await form.bus.request(remaining, {}, { deadline: new Date(Date.now() + 60_000) });
      expect(far.remainingMs).toBeLessThanOrEqual(remaining.timeoutMs);
    });

    it('asks the one process that a request names, and no other', async () => {
      const serve = (house: number) =>
        form.bus.serve(greet, house, async ({ name }, { remainingMs }) => {
          if (name === 'nobody') throw new PlatformError('not_found', 'no such guest', { noun: 'guest', id: name });
          return { text: `${name} at ${house}`, remainingMs };
        });
      const stops = [1, 2].map(serve);
      await form.settled();
      const answers = await Promise.all([2, 1].map((house) => form.bus.request(greet, { house, name: 'Eve' })));
      expect(answers.map(({ text }) => text)).toEqual(['Eve at 2', 'Eve at 1']);
      for (const { remainingMs } of answers) expect(remainingMs).toBeLessThanOrEqual(greet.timeoutMs);
      const thrown = await failureOf(form.bus.request(greet, { house: 1, name: 'nobody' }));
      expect(thrown.toJSON()).toMatchObject({ code: 'not_found', details: { noun: 'guest' } });
      const refused = await failureOf(form.bus.request(greet, JSON.parse('{"house":1}') as RequestOf<typeof greet>));
      expect(refused.details.issues?.map(({ path }) => path)).toEqual(['name']);
      stops[0]?.();
      await form.settled();
      expect((await failureOf(form.bus.request(greet, { house: 1, name: 'Eve' }))).code).toBe('unavailable');
      expect(await form.bus.request(greet, { house: 2, name: 'Eve' })).toMatchObject({ text: 'Eve at 2' });
      stops[1]?.();
    });

    it('tells a listener of one address only what is about it', async () => {
      const heard: string[] = [];
      const stop = form.bus.subscribe(rang, ({ bell }) => heard.push(bell), { bell: 'b' });
      await form.settled();
      for (const bell of ['a', 'b', 'c']) form.bus.publish(rang, { bell }, { bell, at: new Date() });
      await form.settled();
      stop();
      form.bus.publish(rang, { bell: 'b' }, { bell: 'b', at: new Date() });
      await form.settled();
      expect(heard).toEqual(['b']);
    });

    it('tells every listener of an event, each a copy of its own, until it stops listening', async () => {
      const at = new Date();
      const heard: { bell: string; at: Date }[][] = [[], []];
      const stops = heard.map((list) => form.bus.subscribe(rang, (payload) => list.push(payload)));
      await form.settled();
      form.bus.publish(rang, { bell: 'a' }, { bell: 'a', at });
      form.bus.publish(rang, { bell: 'b' }, { bell: 'b', at });
      await form.settled();
      for (const list of heard) {
        expect(list).toEqual([
          { bell: 'a', at },
          { bell: 'b', at },
        ]);
      }
      expect(heard[0]?.[0]).not.toBe(heard[1]?.[0]);
      stops.forEach((stop) => stop());
      await form.settled();
      form.bus.publish(rang, { bell: 'c' }, { bell: 'c', at });
      await form.settled();
      expect(heard.map((list) => list.length)).toEqual([2, 2]);
    });

    it('does not let a failing listener, or an event against its contract, hinder the others', async () => {
      const heard: string[] = [];
      const stops = [
        form.bus.subscribe(rang, () => {
          throw new Error('this listener fails');
        }),
        form.bus.subscribe(rang, ({ bell }) => heard.push(bell)),
      ];
      await form.settled();
      form.bus.publish(rang, { bell: 'bad' }, JSON.parse('{"bell":7}') as { bell: string; at: Date });
      form.bus.publish(rang, { bell: 'good' }, { bell: 'good', at: new Date() });
      await form.settled();
      stops.forEach((stop) => stop());
      expect(heard).toEqual(['good']);
      expect(logged.join('\n')).toContain('this listener fails');
    });

    it('does not throw at whoever tells of too much: the log says it, and the next event arrives', async () => {
      const heard: string[] = [];
      const stop = form.bus.subscribe(rang, ({ bell }) => heard.push(bell));
      await form.settled();
      form.bus.publish(rang, { bell: 'huge' }, { bell: 'x'.repeat(2 * MAX_MESSAGE_BYTES), at: new Date() });
      form.bus.publish(rang, { bell: 'small' }, { bell: 'small', at: new Date() });
      await form.settled();
      stop();
      expect(heard).toEqual(['small']);
      expect(logged.join('\n')).toMatch(/event\.bell\.huge\.rang.*an event could not be sent/s);
    });

    it('never runs a receiver on the stack of the sender', async () => {
      const order: string[] = [];
      const stop = form.bus.subscribe(rang, () => order.push('heard'));
      await form.settled();
      form.bus.publish(rang, { bell: 'a' }, { bell: 'a', at: new Date() });
      order.push('sent');
      await form.settled();
      stop();
      expect(order).toEqual(['sent', 'heard']);
    });
  });
};

const printed = (value: unknown): string => {
  if (value instanceof Error) return value.stack ?? value.message;
  return JSON.stringify(value, (_key, part: unknown) => (part instanceof Error ? part.stack : part));
};
