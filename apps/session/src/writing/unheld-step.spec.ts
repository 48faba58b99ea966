import {
  CallId,
  EMPTY_HEAD,
  FactId,
  fold,
  InterruptId,
  newId,
  RunId,
  type EventBody,
  type Fact,
  type Head,
  type WaitingFor,
} from '@parley/core';
import { type Situation } from '@parley/persistence';
import { unheldStep } from './unheld-step.js';

const run = newId(RunId);
const text = (words: string) => [{ type: 'text' as const, text: words, origin: 'user' as const }];
const usage = { input: 1, cachedInput: 0, output: 1, reasoning: 0, estimated: false };

const headAfter = (...events: EventBody[]): Head =>
  fold(
    [{ kind: 'input' as const, parts: text('hi') }, ...events].map((body, n) => ({ seq: n + 1, run, body })),
    EMPTY_HEAD,
  );

const replyWith = (...calls: CallId[]): EventBody => ({
  kind: 'model_replied',
  round: 1,
  parts: calls.map((id) => ({ type: 'call', id, name: 'mail', arguments: '{}', origin: 'model' })),
  usage,
  model: 'simulator/sim-1-0',
  finish: 'calls',
});

const asked = (interrupt: InterruptId, call: CallId | null = null): EventBody => ({
  kind: 'asked',
  interrupt,
  ask: call ? 'approval' : 'question',
  call,
});

const fact = (body: Fact['body']): Fact => ({ id: newId(FactId), run, body });
const answer = (interrupt: InterruptId, outcome: 'approved' | 'denied' | 'answered') =>
  fact({ kind: 'answer', interrupt, outcome, parts: text('yes') });
const steer = () => fact({ kind: 'steer', parts: text('and also') });

const waiting = (waitingFor: WaitingFor): NonNullable<Situation['active']> => ({
  run,
  state: 'waiting',
  waitingFor,
  epoch: 1,
  executor: null,
});
const queued: NonNullable<Situation['active']> = { ...waiting('person'), state: 'queued', waitingFor: null };

const kinds = ({ addition }: ReturnType<typeof unheldStep>) => addition.events.map(({ body }) => body.kind);

describe('what a poster writes where nobody holds the run', () => {
  it('queues a waiting run when the last question is answered, and not before', () => {
    const [first, second] = [newId(InterruptId), newId(InterruptId)];
    const head = headAfter(asked(first), asked(second));
    const half = unheldStep(head, waiting('person'), [answer(first, 'answered')]);
    expect(half).toMatchObject({ then: 'leave', state: 'waiting' });
    expect(kinds(half)).toEqual(['answered']);
    const whole = unheldStep(half.addition.head, waiting('person'), [answer(second, 'answered')]);
    expect(whole).toMatchObject({ then: 'queue', state: 'queued' });
  });

  it('queues a run whose call was approved: the call is the executor’s to make', () => {
    const [call, interrupt] = [newId(CallId), newId(InterruptId)];
    const head = headAfter(replyWith(call), asked(interrupt, call));
    const step = unheldStep(head, waiting('person'), [answer(interrupt, 'approved')]);
    expect(step.then).toBe('queue');
    expect(step.addition.head.calls[call]?.stage).toBe('intended');
  });

  it('gives a denied call its one result', () => {
    const [call, interrupt] = [newId(CallId), newId(InterruptId)];
    const head = headAfter(replyWith(call), asked(interrupt, call));
    const step = unheldStep(head, waiting('person'), [answer(interrupt, 'denied')]);
    expect(kinds(step)).toEqual(['answered', 'call_settled']);
    expect(step.then).toBe('queue');
  });

  it('waits for all children of a run that waits for them', () => {
    const calls = [newId(CallId), newId(CallId)] as const;
    const head = headAfter(replyWith(...calls));
    const finished = (call: CallId) => fact({ kind: 'child_finished', call, outcome: 'result', parts: text('done') });
    const half = unheldStep(head, waiting('child'), [finished(calls[0])]);
    expect(half.then).toBe('leave');
    expect(unheldStep(half.addition.head, waiting('child'), [finished(calls[1])]).then).toBe('queue');
  });

  it('leaves words that may not come between a call and its result, and takes them behind the answer', () => {
    const [call, interrupt] = [newId(CallId), newId(InterruptId)];
    const head = headAfter(replyWith(call), asked(interrupt, call));
    const words = steer();
    const left = unheldStep(head, waiting('person'), [words]);
    expect(left).toMatchObject({ then: 'leave', addition: { events: [], taken: [], left: [words.id] } });
    const denied = unheldStep(head, waiting('person'), [words, answer(interrupt, 'denied')]);
    expect(kinds(denied)).toEqual(['answered', 'call_settled', 'input']);
  });

  it('appends words to a run that is queued already, and leaves it where it stands in line', () => {
    const step = unheldStep(headAfter(), queued, [steer()]);
    expect(step).toMatchObject({ then: 'leave', state: 'queued' });
    expect(kinds(step)).toEqual(['input']);
  });

  it('ends the run at a cancel: settles what is open, whatever else is unread', () => {
    const [call, interrupt] = [newId(CallId), newId(InterruptId)];
    const head = headAfter(replyWith(call), asked(interrupt, call));
    const cancel = fact({ kind: 'cancel', reason: 'enough', rewind: false });
    const words = steer();
    const step = unheldStep(head, waiting('person'), [words, cancel]);
    expect(step).toMatchObject({ then: { end: { state: 'cancelled', reason: 'enough' } }, state: 'cancelled' });
    expect(kinds(step)).toEqual(['answered', 'call_settled', 'run_ended']);
    expect(step.addition).toMatchObject({
      taken: [cancel.id],
      left: [words.id],
      head: { run: null, calls: {}, asks: {} },
    });
  });

  it('takes a rolled back run out of force', () => {
    const step = unheldStep(headAfter(), queued, [fact({ kind: 'cancel', reason: 'rolled_back', rewind: true })]);
    expect(kinds(step)).toEqual(['rewound', 'run_ended']);
    expect(step.addition.head.spans).toEqual([[3, null]]);
  });

  it('takes an answer that nobody waits for any more, without an event', () => {
    const late = answer(newId(InterruptId), 'answered');
    const step = unheldStep(headAfter(), waiting('timer'), [late]);
    expect(step).toMatchObject({ then: 'leave', addition: { events: [], taken: [late.id], left: [] } });
  });
});
