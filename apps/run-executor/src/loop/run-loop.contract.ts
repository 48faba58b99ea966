import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import {
  DEFAULT_BUDGET,
  DEFAULT_RETRY,
  durableFrameId,
  type Event,
  type Frame,
  type FrameBatch,
  type ReplyPart,
} from '@parley/core';
import { getAgentVersion } from '@parley/contracts';
import { ScriptedModel, wordsOf } from './scripted-model.contract.js';
import { type World } from './world.contract.js';

const budget = DEFAULT_BUDGET;

const kindsOf = (events: Event[]): string[] => events.map(({ body }) => body.kind);

/** What the log keeps of what was shown: all but the text that was voided. */
const lasting = (heard: Frame[], replayed: Frame[]): Frame[] => {
  const ids = new Set(replayed.map(({ id }) => id));
  return heard.filter(({ id }) => ids.has(id));
};

/** What a run's loop does, on any RunLog. */
export const describeRunLoop = (name: string, open: () => Promise<World>): void => {
  describe(`a run on ${name}`, () => {
    let world: World;
    let model: ScriptedModel;

    beforeAll(() => {
      Logger.overrideLogger(false);
    });

    beforeEach(async () => {
      world = await open();
      model = new ScriptedModel();
    });

    afterEach(() => world.close());

    describe('of one turn', () => {
      it('asks the model with instructions and conversation, and ends with its reply in one commit', async () => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        const call = await model.next();
        expect(call.request).toMatchObject({ handle: 'scripted', instructions: 'Be kind.' });
        expect(wordsOf(call.request.messages)).toEqual(['user: Hello']);
        call.answer('Hi');
        expect(await world.ended(run)).toMatchObject({ state: 'succeeded', reason: null });
        const events = await world.events(ref);
        expect(kindsOf(events)).toEqual(['input', 'model_replied', 'run_ended']);
        expect(events[1]?.at).toEqual(events[2]?.at);
      });

      it('fails when the model fails, and the log says why', async () => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        (await model.next()).fail('rate_limited');
        expect(await world.ended(run)).toMatchObject({ state: 'failed', reason: 'model_failed' });
        const events = await world.events(ref);
        expect(kindsOf(events)).toEqual(['input', 'model_failed', 'run_ended']);
        expect(events[1]?.body).toMatchObject({ round: 1, attempt: 1, code: 'rate_limited' });
      });

      it('voids what was shown of a reply that failed', async () => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        const call = await model.next();
        call.say('H');
        call.fail();
        await world.ended(run);
        expect(await world.kinds(ref)).toEqual(['input', 'restarted', 'model_failed', 'run_ended']);
      });

      it('ends with a reason when the reply is not whole', async () => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        const call = await model.next();
        call.say('Hi th');
        call.end({ finish: 'length' });
        expect(await world.ended(run)).toMatchObject({ state: 'succeeded', reason: 'length' });
      });

      it('fails, and says that the fault is ours, when the model port breaks its word', async () => {
        model = new ScriptedModel(() => {
          throw new Error('a bug');
        });
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        expect(await world.ended(run)).toMatchObject({ state: 'failed', reason: 'internal' });
      });
    });

    describe('whose model call fails for a passing reason', () => {
      it('makes it again in the same slot when the wait is short, and tells readers that what they saw is void', async () => {
        world.retry = { ...DEFAULT_RETRY, initialBackoffMs: 100 };
        await world.start(model, { slots: 1 });
        const ref = await world.session();
        const heard = world.listen(ref);
        const run = await world.send(ref, 'Hello');
        const first = await model.next();
        first.say('Wel');
        first.fail('server_error', { retryable: true });
        const second = await model.next();
        expect(wordsOf(second.request.messages)).toEqual(['user: Hello']);
        second.answer('Well');
        expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
        const events = await world.events(ref);
        expect(kindsOf(events)).toEqual(['input', 'restarted', 'model_failed', 'model_replied', 'run_ended']);
        expect(events[1]?.at).toEqual(events[2]?.at);
        expect(lasting(heard, await world.replay(ref))).toEqual((await world.replay(ref)).slice(1));
      });

      it('rests for a longer wait and holds no slot, then makes it again, in another process too', async () => {
        const before = await world.start(model, { slots: 1 });
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        const asked = Date.now();
        (await model.next()).fail('rate_limited', { retryable: true, retryAfterMs: 1_500 });
        await world.parked(run);
        const other = await world.session();
        const second = await world.send(other, 'And I?');
        (await model.next()).answer('You too.');
        await world.ended(second);
        await before.executor.beforeApplicationShutdown();
        await world.start(model, { slots: 1 });
        const call = await model.next();
        expect(Date.now() - asked).toBeGreaterThanOrEqual(1_400);
        call.answer('Hi');
        expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
        expect(await world.kinds(ref)).toEqual(['input', 'model_failed', 'model_replied', 'run_ended']);
      });

      it.each([
        ['short', {}, false],
        ['long', { retryAfterMs: 60_000 }, true],
      ])('can be cancelled in a %s wait, at once', async (_, asked, isParked) => {
        world.retry = { ...DEFAULT_RETRY, initialBackoffMs: 800 };
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        (await model.next()).fail('overloaded', { retryable: true, ...asked });
        if (isParked) await world.parked(run);
        else while (!(await world.kinds(ref)).includes('model_failed')) await sleep(5);
        const before = Date.now();
        await world.cancel(ref, run);
        expect(await world.ended(run)).toMatchObject({ state: 'cancelled', reason: 'interrupted' });
        expect(Date.now() - before).toBeLessThan(500);
        expect(model.calls).toHaveLength(1);
      });

      it('is tried so often as the agent says, over all rests', async () => {
        world.retry = { ...DEFAULT_RETRY, maxRetries: 2, initialBackoffMs: 100 };
        model = new ScriptedModel((call) => call.fail('server_error', { retryable: true, retryAfterMs: 1_010 }));
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        expect(await world.ended(run)).toMatchObject({ state: 'failed', reason: 'model_failed' });
        const attempts = (await world.events(ref)).flatMap(({ body }) =>
          body.kind === 'model_failed' ? [body.attempt] : [],
        );
        expect(attempts).toEqual([1, 2, 3]);
      });

      it('times out in its rest', async () => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello', { budget: { ...budget, wallMs: 2_000 } });
        (await model.next()).fail('rate_limited', { retryable: true, retryAfterMs: 1_400 });
        await world.parked(run);
        model.pause = 60_000;
        expect(await world.ended(run)).toMatchObject({ state: 'timed_out' });
        expect(model.calls).toHaveLength(1);
      });

      it('rests while its provider is left alone, without using up an attempt', async () => {
        model.pause = 1_200;
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        await world.parked(run);
        model.pause = 0;
        const first = await model.next();
        first.fail('circuit_open', { retryable: true });
        (await model.next()).answer('Hi');
        expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
        expect(await world.kinds(ref)).toEqual(['input', 'model_replied', 'run_ended']);
      });

      it('does not wake together with all the others that rest on one provider', async () => {
        const calledAt: number[] = [];
        model = new ScriptedModel((call) => call.answer(`${calledAt.push(performance.now())}`));
        model.pause = 1_100;
        await world.start(model, { slots: 20 });
        const refs = await Promise.all(Array.from({ length: 20 }, () => world.session()));
        const runs = await Promise.all(refs.map((ref) => world.send(ref, 'Hello')));
        await Promise.all(runs.map((run) => world.parked(run)));
        model.pause = 0;
        await Promise.all(runs.map((run) => world.ended(run)));
        expect(Math.max(...calledAt) - Math.min(...calledAt)).toBeGreaterThan(150);
        expect(new Set(calledAt.map((at) => Math.round(at / 10))).size).toBeGreaterThan(7);
      });
    });

    describe('whose answer has to be of a form', () => {
      const output = { name: 'city', strict: true, schema: { type: 'object' } };
      const parts: ReplyPart[] = [{ type: 'text', text: '[]', origin: 'model' }];

      it('asks for it, and shows it whole', async () => {
        world.output = output;
        await world.start(model);
        const ref = await world.session();
        const heard = world.listen(ref);
        const run = await world.send(ref, 'Where?');
        const call = await model.next();
        expect(call.request).toMatchObject({ output, repair: undefined });
        call.end({ parts: [{ type: 'text', text: '{}', origin: 'model' }], output: 'city' });
        expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
        expect((await world.events(ref))[1]?.body).toMatchObject({ kind: 'model_replied', output: 'city' });
        await sleep(5);
        expect(heard.filter(({ kind }) => kind === 'delta')).toEqual([]);
      });

      it('asks once more with what was wrong, also after a kill, and then fails', async () => {
        world.output = output;
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Where?');
        (await model.next()).fail('invalid_output', { message: 'it is no object', parts });
        const again = await model.next();
        expect(again.request).toMatchObject({ output, repair: { message: 'it is no object', parts } });
        expect(wordsOf(again.request.messages)).toEqual(['user: Where?']);
        again.fail('invalid_output', { message: 'it still is not' });
        expect(await world.ended(run)).toMatchObject({ state: 'failed', reason: 'invalid_output' });
        expect(model.calls).toHaveLength(2);
        expect(await world.kinds(ref)).toEqual(['input', 'model_failed', 'model_failed', 'run_ended']);
      });

      it('forgets the fault with the reply that mended it', async () => {
        world.output = output;
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Where?');
        (await model.next()).fail('invalid_output', { parts });
        (await model.next()).end({ parts: [{ type: 'text', text: '{}', origin: 'model' }], output: 'city' });
        await world.ended(run);
        await world.send(ref, 'And then?');
        const next = await model.next();
        expect(next.request.repair).toBeUndefined();
        expect(wordsOf(next.request.messages)).toEqual(['user: Where?', 'assistant: {}', 'user: And then?']);
        next.answer('{}');
      });
    });

    describe('of several rounds', () => {
      it('tells the model of calls that cannot be made, and goes on', async () => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Find it');
        const first = await model.next();
        first.ask('search');
        first.ask('mail');
        first.end();
        const second = await model.next();
        expect(wordsOf(second.request.messages)).toEqual([
          'user: Find it',
          'assistant: call,call',
          expect.stringContaining("tool: This call was not made: there is no tool 'search'"),
          expect.stringContaining("tool: This call was not made: there is no tool 'mail'"),
        ]);
        second.answer('I cannot.');
        expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
        const kinds = ['input', 'model_replied', 'call_settled', 'call_settled', 'model_replied', 'run_ended'];
        expect(await world.kinds(ref)).toEqual(kinds);
      });

      it('gives every call an id of its own', async () => {
        await world.start(model);
        const ref = await world.session();
        await world.send(ref, 'Find it');
        for (let round = 1; round <= 2; round++) {
          const call = await model.next();
          call.ask('search');
          call.ask('search');
          call.end();
        }
        const call = await model.next();
        const ids = call.request.messages.flatMap(({ parts }) =>
          parts.flatMap((part) => (part.type === 'call' ? [part.id] : [])),
        );
        expect(new Set(ids).size).toBe(4);
        call.answer('Enough.');
      });
    });

    describe('and words that come meanwhile', () => {
      it.each([false, true])('hears them after the reply under way (nudge lost: %s)', async (quietly) => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        const first = await model.next();
        first.say('Hi');
        await world.steer(ref, run, 'Shorter', { quietly });
        await world.steer(ref, run, 'In French', { quietly });
        await sleep(20);
        first.end();
        const second = await model.next();
        expect(wordsOf(second.request.messages)).toEqual([
          'user: Hello',
          'assistant: Hi',
          'user: Shorter',
          'user: In French',
        ]);
        second.answer('Salut');
        expect(await world.ended(run)).toMatchObject({ state: 'succeeded' });
        const kinds = ['input', 'model_replied', 'input', 'input', 'model_replied', 'run_ended'];
        expect(await world.kinds(ref)).toEqual(kinds);
      });
    });

    describe('that is cancelled', () => {
      it('stops the model at once, voids what was shown and ends', async () => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        const call = await model.next();
        call.say('Well');
        const before = Date.now();
        await world.cancel(ref, run);
        expect(await world.ended(run)).toMatchObject({ state: 'cancelled', reason: 'interrupted' });
        expect(Date.now() - before).toBeLessThan(900);
        expect(call.request.signal.aborted).toBe(true);
        expect(await world.kinds(ref)).toEqual(['input', 'restarted', 'run_ended']);
      });

      it('has nothing to void before the first word', async () => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        await model.next();
        await world.cancel(ref, run);
        await world.ended(run);
        expect(await world.kinds(ref)).toEqual(['input', 'run_ended']);
      });

      it('learns of it by the heartbeat when the nudge is lost', async () => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        await model.next();
        const before = Date.now();
        await world.cancel(ref, run, { quietly: true });
        expect(await world.ended(run)).toMatchObject({ state: 'cancelled' });
        expect(Date.now() - before).toBeLessThan(2_500);
      });

      it('keeps the reply that was whole before it knew', async () => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        const call = await model.next();
        await world.cancel(ref, run, { quietly: true });
        call.answer('Hi');
        expect(await world.ended(run)).toMatchObject({ state: 'cancelled', reason: 'interrupted' });
        expect(await world.kinds(ref)).toEqual(['input', 'model_replied', 'run_ended']);
      });

      it('settles the calls of a reply that it does not act on', async () => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Find it');
        const call = await model.next();
        call.ask('search');
        await world.cancel(ref, run, { quietly: true });
        call.end();
        await world.ended(run);
        expect(await world.kinds(ref)).toEqual(['input', 'model_replied', 'call_settled', 'run_ended']);
        expect(model.calls).toHaveLength(1);
      });

      it('ends before its first model call when it is claimed with the cancel', async () => {
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        await world.cancel(ref, run);
        await world.start(model);
        expect(await world.ended(run)).toMatchObject({ state: 'cancelled' });
        expect(model.calls).toHaveLength(0);
      });

      it('ends while its agent is being fetched', async () => {
        world.hub.withdraw(getAgentVersion.subject);
        world.hub.serve(getAgentVersion.subject, async () => {
          await sleep(200);
          return JSON.stringify(world.agentVersion());
        });
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'Hello');
        await sleep(100);
        await world.cancel(ref, run);
        expect(await world.ended(run)).toMatchObject({ state: 'cancelled' });
        expect(model.calls).toHaveLength(0);
      });

      it('is as if it had never been, when it is rolled back', async () => {
        await world.start(model);
        const ref = await world.session();
        const first = await world.send(ref, 'One');
        (await model.next()).answer('1');
        await world.ended(first);
        const second = await world.send(ref, 'Two');
        const call = await model.next();
        call.say('2');
        await world.cancel(ref, second, { rewind: true });
        await world.ended(second);
        const third = await world.send(ref, 'Three');
        const last = await model.next();
        expect(wordsOf(last.request.messages)).toEqual(['user: One', 'assistant: 1', 'user: Three']);
        last.answer('3');
        await world.ended(third);
      });
    });

    describe('of a known session', () => {
      it('knows the conversation without reading the log', async () => {
        await world.start(model);
        const ref = await world.session();
        for (const [said, answered] of [
          ['One', '1'],
          ['Two', '2'],
        ] as const) {
          const run = await world.send(ref, said);
          (await model.next()).answer(answered);
          await world.ended(run);
        }
        const read = jest.spyOn(world.log, 'read');
        const run = await world.send(ref, 'Three');
        const call = await model.next();
        const words = ['user: One', 'assistant: 1', 'user: Two', 'assistant: 2', 'user: Three'];
        expect(wordsOf(call.request.messages)).toEqual(words);
        call.answer('3');
        await world.ended(run);
        expect(read).not.toHaveBeenCalled();
      });

      it('reads it in another process', async () => {
        const before = await world.start(model);
        const ref = await world.session();
        const first = await world.send(ref, 'One');
        (await model.next()).answer('1');
        await world.ended(first);
        await before.executor.beforeApplicationShutdown();
        await world.start(model);
        const second = await world.send(ref, 'Two');
        const call = await model.next();
        expect(wordsOf(call.request.messages)).toEqual(['user: One', 'assistant: 1', 'user: Two']);
        call.answer('2');
        await world.ended(second);
      });

      it('reads it anew when a part of it was hidden', async () => {
        await world.start(model);
        const ref = await world.session();
        const first = await world.send(ref, 'One');
        (await model.next()).answer('1');
        await world.ended(first);
        await world.log.hide({ ...ref, parts: [{ seq: 2, part: 0 }] });
        const second = await world.send(ref, 'Two');
        const call = await model.next();
        expect(wordsOf(call.request.messages)).toEqual(['user: One', 'user: Two']);
        call.answer('2');
        await world.ended(second);
      });

      it('reads it anew when a part is hidden while it runs, before it asks the model again', async () => {
        await world.start(model);
        const ref = await world.session();
        const run = await world.send(ref, 'One');
        const first = await model.next();
        await world.log.hide({ ...ref, parts: [{ seq: 1, part: 0 }] });
        await world.steer(ref, run, 'Two');
        first.answer('1');
        const second = await model.next();
        expect(wordsOf(second.request.messages)).toEqual(['assistant: 1', 'user: Two']);
        second.answer('2');
        await world.ended(run);
        await world.log.unhide({ ...ref, parts: [{ seq: 1, part: 0 }] });
        await world.send(ref, 'Three');
        const third = await model.next();
        expect(wordsOf(third.request.messages)[0]).toBe('user: One');
        third.answer('3');
      });
    });

    describe('and those who watch it', () => {
      it('shows live exactly what replay shows ever after', async () => {
        await world.start(model);
        const ref = await world.session();
        const heard = world.listen(ref);
        const run = await world.send(ref, 'Hello');
        const first = await model.next();
        first.say('Let me', 0, 'reasoning');
        first.say(' think', 0, 'reasoning');
        first.say('I will', 1);
        first.say(' look.', 1);
        first.ask('search');
        first.end();
        const second = await model.next();
        for (const word of ['No', ' tools', ' here 🙂']) second.say(word);
        await world.steer(ref, run, 'Fine');
        await sleep(20);
        second.end();
        (await model.next()).answer('Bye');
        await world.ended(run);
        await sleep(5);
        const [input, ...rest] = await world.replay(ref);
        expect(input?.id).toBe(durableFrameId(1)); // published by who admitted the run
        expect(heard).toEqual(rest);
      });

      it('numbers live frames after the last committed event, in order', async () => {
        await world.start(model);
        const ref = await world.session();
        const heard = world.listen(ref);
        const run = await world.send(ref, 'Hello');
        const call = await model.next();
        for (const word of ['a', 'b', 'c']) call.say(word);
        call.end();
        await world.ended(run);
        await sleep(5);
        const base = durableFrameId(1);
        const ids = [base + 1, base + 2, base + 3, durableFrameId(2), durableFrameId(3)];
        expect(heard.map(({ id }) => id)).toEqual(ids);
      });

      it('names the frame before each batch, so that a gap is seen', async () => {
        await world.start(model);
        const ref = await world.session();
        const batches: FrameBatch[] = [];
        world.frames.subscribe(ref, (batch) => batches.push(batch));
        const run = await world.send(ref, 'Hello');
        const call = await model.next();
        call.say('a');
        call.answer('b');
        await world.ended(run);
        await sleep(5);
        let last = durableFrameId(1);
        for (const { after, frames } of batches) {
          expect(after).toBe(last);
          last = frames.at(-1)?.id ?? 0;
        }
        expect(last).toBe(durableFrameId(3));
      });

      it('replays nothing of what was voided, and the frame that says so', async () => {
        await world.start(model);
        const ref = await world.session();
        const heard = world.listen(ref);
        const run = await world.send(ref, 'Hello');
        const call = await model.next();
        call.say('Well');
        await world.cancel(ref, run);
        await world.ended(run);
        await sleep(5);
        const replayed = (await world.replay(ref)).slice(1);
        expect(lasting(heard, replayed)).toEqual(replayed);
        const ids = heard.map(({ id }) => id);
        expect(ids).toEqual(ids.toSorted((a, b) => a - b));
        expect(replayed.map((frame) => (frame.kind === 'event' ? frame.event.body.kind : 'delta'))).toEqual([
          'restarted',
          'run_ended',
        ]);
      });

      it('tells the message in the making to whoever joins', async () => {
        await world.start(model);
        const ref = await world.session();
        const heard = world.listen(ref);
        const run = await world.send(ref, 'Hello');
        const call = await model.next();
        const holder = await world.holder(ref);
        for (const text of 'ab') call.say(text);
        await sleep(5);
        expect(await world.tail(ref.tenant, holder)).toEqual(heard);
        call.end();
        await world.ended(run);
        await sleep(5);
        expect(await world.tail(ref.tenant, holder)).toEqual([]);
      });

      it('shows the input of the run that gets the turn next', async () => {
        await world.start(model);
        const ref = await world.session();
        const first = await world.send(ref, 'One');
        const call = await model.next();
        const second = await world.send(ref, 'Two');
        const heard = world.listen(ref);
        call.answer('1');
        await world.ended(first);
        (await model.next()).answer('2');
        await world.ended(second);
        await sleep(5);
        expect(heard).toEqual((await world.replay(ref)).slice(1));
      });
    });
  });
};
