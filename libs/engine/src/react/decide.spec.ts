import {
  CallId,
  fold,
  newId,
  RunId,
  type AgentDefinition,
  type BodyOf,
  type EventBody,
  type ReplyPart,
  type Usage,
} from '@parley/core';
import { decide } from './decide.js';
import { type ReactAction } from './react-action.js';
import { type Finish, type ReactFacts, type ReactState } from './react-state.js';
import { Transcript } from './transcript.js';

const run = newId(RunId);
const usage: Usage = { input: 10, cachedInput: 0, output: 5, reasoning: 0, estimated: false, costUsd: 0.0025 };

const definition: AgentDefinition = {
  name: 'Greeter',
  description: null,
  enabled: true,
  model: { handle: 'simulator/sim-20-0', parameters: { temperature: 0 } },
  instructions: [
    { name: 'tone', template: 'Be kind.' },
    { name: 'length', template: 'Be brief.' },
  ],
  budget: { rounds: 3, wallMs: 1_000 },
  metadata: {},
  facets: {},
};

const facts = (over: Partial<ReactFacts> = {}): ReactFacts => ({
  now: 5_500,
  startedAt: 5_000,
  budget: { rounds: 3, tokens: 100, wallMs: 1_000 },
  providerReadyAt: 0,
  isPriced: true,
  ...over,
});

const input: EventBody = { kind: 'input', parts: [{ type: 'text', text: 'Hello', origin: 'user' }] };

const reply = (over: Partial<BodyOf<'model_replied'>> = {}): EventBody => ({
  kind: 'model_replied',
  round: 1,
  parts: [{ type: 'text', text: 'Hi', origin: 'model' }],
  usage,
  model: 'simulator/sim-20-0',
  finish: 'stop',
  ...over,
});

const calling = (name: string, id = newId(CallId)): BodyOf<'model_replied'>['parts'][number] => ({
  type: 'call',
  id,
  name,
  arguments: '{}',
  origin: 'model',
});

const settled = (call: CallId): EventBody => ({ kind: 'call_settled', call, outcome: 'error', parts: [] });

const failed: BodyOf<'model_failed'> = {
  kind: 'model_failed',
  round: 1,
  attempt: 1,
  code: 'model_failed',
  message: 'no',
  usage,
};

/** The state after these events of one run. */
const stateAfter = (...bodies: EventBody[]): ReactState => {
  const transcript = new Transcript();
  const events = bodies.map((body, index) => ({ seq: index + 1, run, body }));
  for (const event of events) transcript.add({ ...event, hidden: [] });
  const head = fold(events);
  if (!head.run) throw new Error('the run has ended');
  const { messages, answer, fault, failure } = transcript;
  return { run: head.run, calls: head.calls, messages, answer, fault, failure };
};

const only = (actions: ReactAction[]): ReactAction | undefined => (actions.length === 1 ? actions[0] : undefined);

describe('decide', () => {
  it('asks the model, with the instructions in their order and the whole conversation', () => {
    expect(decide(definition, stateAfter(input), facts())).toEqual([
      {
        kind: 'call_model',
        round: 1,
        attempt: 1,
        handle: 'simulator/sim-20-0',
        parameters: { temperature: 0 },
        instructions: 'Be kind.\n\nBe brief.',
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello', origin: 'user' }] }],
        output: undefined,
        repair: undefined,
      },
    ]);
  });

  it('sends no system prompt where there are no instructions', () => {
    const action = only(decide({ ...definition, instructions: [] }, stateAfter(input), facts()));
    expect(action).toMatchObject({ kind: 'call_model', instructions: '' });
  });

  it.each<[Finish, string | null]>([
    ['stop', null],
    ['calls', null],
    ['length', 'length'],
    ['filtered', 'filtered'],
  ])('ends with success when a reply without calls finished by %s', (finish, reason) => {
    const actions = decide(definition, stateAfter(input, reply({ finish })), facts());
    expect(actions).toEqual([{ kind: 'end', state: 'succeeded', reason }]);
  });

  it('ends, and does not ask again, when the model replied nothing at all', () => {
    const actions = decide(definition, stateAfter(input, reply({ parts: [] })), facts());
    expect(actions).toEqual([{ kind: 'end', state: 'succeeded', reason: null }]);
  });

  it('keeps an answer that came after the budget was used up', () => {
    const late = facts({ now: 9_999, budget: { rounds: 1, tokens: 1, wallMs: 1 } });
    expect(decide(definition, stateAfter(input, reply()), late)).toMatchObject([{ kind: 'end', state: 'succeeded' }]);
  });

  it('settles each call as an error that names it and says what exists', () => {
    const [first, second] = [newId(CallId), newId(CallId)];
    const parts = [calling('search', first), calling('mail', second)];
    const actions = decide(definition, stateAfter(input, reply({ parts, finish: 'calls' })), facts());
    expect(actions).toMatchObject([
      { kind: 'settle_call', call: first, outcome: 'error', text: expect.stringContaining("no tool 'search'") },
      { kind: 'settle_call', call: second, outcome: 'error', text: expect.stringContaining("no tool 'mail'") },
    ]);
  });

  it('settles only what is still open, as after a crash between two results', () => {
    const [first, second] = [newId(CallId), newId(CallId)];
    const parts = [calling('search', first), calling('mail', second)];
    const state = stateAfter(input, reply({ parts, finish: 'calls' }), settled(first));
    expect(decide(definition, state, facts())).toMatchObject([{ kind: 'settle_call', call: second }]);
  });

  it('tells the model of a call that was cut off by its token limit', () => {
    const state = stateAfter(input, reply({ parts: [calling('search')], finish: 'length' }));
    expect(only(decide(definition, state, facts()))).toMatchObject({ text: expect.stringContaining('token limit') });
  });

  it('asks the model again when all calls are settled', () => {
    const call = newId(CallId);
    const state = stateAfter(input, reply({ parts: [calling('search', call)], finish: 'calls' }), settled(call));
    expect(only(decide(definition, state, facts()))).toMatchObject({ kind: 'call_model', round: 2, attempt: 1 });
  });

  it('asks the model again when words came after its reply', () => {
    const action = only(decide(definition, stateAfter(input, reply(), input), facts()));
    expect(action).toMatchObject({ kind: 'call_model', round: 2 });
  });

  it('goes on in the same round after its live text was voided', () => {
    const action = only(decide(definition, stateAfter(input, { kind: 'restarted', round: 1 }), facts()));
    expect(action).toMatchObject({ kind: 'call_model', round: 1, attempt: 1 });
  });

  it.each<[string, Partial<ReactFacts>, ReactAction]>([
    ['rounds', { budget: { rounds: 1, wallMs: 1_000 } }, { kind: 'end', state: 'failed', reason: 'rounds_exceeded' }],
    [
      'tokens',
      { budget: { rounds: 9, tokens: 15, wallMs: 1_000 } },
      { kind: 'end', state: 'failed', reason: 'tokens_exceeded' },
    ],
    [
      'money',
      { budget: { rounds: 9, costMicroUsd: 2_500, wallMs: 1_000 } },
      { kind: 'end', state: 'failed', reason: 'cost_exceeded' },
    ],
    ['wall time', { now: 6_000 }, { kind: 'end', state: 'timed_out', reason: null }],
  ])('does not ask the model again when it has used up its %s', (_, over, end) => {
    expect(decide(definition, stateAfter(input, reply(), input), facts(over))).toEqual([end]);
  });

  it.each<[string, Partial<ReactFacts>]>([
    ['one round', { budget: { rounds: 2, wallMs: 1_000 } }],
    ['one token', { budget: { rounds: 9, tokens: 16, wallMs: 1_000 } }],
    ['one millionth of a dollar', { budget: { rounds: 9, costMicroUsd: 2_501, wallMs: 1_000 } }],
    ['one millisecond', { now: 5_999 }],
    ['no limit of tokens', { budget: { rounds: 9, wallMs: 1_000 } }],
  ])('asks the model while there is %s left', (_, over) => {
    const action = only(decide(definition, stateAfter(input, reply(), input), facts(over)));
    expect(action).toMatchObject({ kind: 'call_model' });
  });

  it('does not make a failed call again when its attempts have used up the money', () => {
    const state = stateAfter(input, { ...failed, retryAt: 5_000 });
    const limited = facts({ budget: { rounds: 9, costMicroUsd: 2_500, wallMs: 1_000 } });
    expect(decide(definition, state, limited)).toEqual([{ kind: 'end', state: 'failed', reason: 'cost_exceeded' }]);
  });

  it('makes no call whose price is not known while money is limited, not even a later one, and says what to do', () => {
    const unpriced = facts({ budget: { rounds: 9, costMicroUsd: 9_999, wallMs: 1_000 }, isPriced: false });
    const refusal = { kind: 'refuse_model', code: 'price_unknown', message: expect.stringContaining('providers file') };
    const first = only(decide(definition, stateAfter(input), { ...unpriced, providerReadyAt: 5_600 }));
    expect(first).toMatchObject({ ...refusal, round: 1, attempt: 1 });
    expect(first).toMatchObject({ message: expect.stringContaining("model 'simulator/sim-20-0'") });
    const later = only(decide(definition, stateAfter(input, reply(), input), unpriced));
    expect(later).toMatchObject({ ...refusal, round: 2, attempt: 1 });
    const refused = stateAfter(input, { ...failed, code: 'price_unknown', usage: null });
    expect(decide(definition, refused, unpriced)).toEqual([{ kind: 'end', state: 'failed', reason: 'price_unknown' }]);
  });

  it('asks a model whose price is not known while money is not limited', () => {
    expect(only(decide(definition, stateAfter(input), facts({ isPriced: false })))).toMatchObject({
      kind: 'call_model',
    });
  });

  it('asks for an answer of the form that it has to be, and once more with what was wrong', () => {
    const output = { name: 'city', strict: true, schema: { type: 'object' } };
    const first = only(decide({ ...definition, output }, stateAfter(input), facts()));
    expect(first).toMatchObject({ kind: 'call_model', output, repair: undefined });
    const parts: ReplyPart[] = [{ type: 'text', text: '[]', origin: 'model' }];
    const wrong = { ...failed, code: 'invalid_output', message: 'it is no object', parts };
    const again = only(decide({ ...definition, output }, stateAfter(input, { ...wrong, retryAt: 5_000 }), facts()));
    expect(again).toMatchObject({
      kind: 'call_model',
      attempt: 2,
      output,
      repair: { message: 'it is no object', parts },
    });
    const end = only(
      decide({ ...definition, output }, stateAfter(input, { ...wrong, retryAt: 5_000 }, wrong), facts()),
    );
    expect(end).toEqual({ kind: 'end', state: 'failed', reason: 'invalid_output' });
    const mended = { ...wrong, retryAt: 5_000 };
    const other = only(decide({ ...definition, output }, stateAfter(input, mended, failed), facts()));
    expect(other).toEqual({ kind: 'end', state: 'failed', reason: 'model_failed' });
  });

  it.each([
    ['the failed call may be made again', 5_600, 0, 5_600],
    ['its provider takes calls again', 5_400, 5_700, 5_700],
    ['the run is over', 9_000, 0, 6_000],
  ])('waits until %s', (_, retryAt, providerReadyAt, until) => {
    const state = stateAfter(input, { ...failed, retryAt });
    expect(decide(definition, state, facts({ providerReadyAt }))).toEqual([{ kind: 'wait', until }]);
  });

  it('waits before the first attempt, too, while the provider is left alone', () => {
    expect(decide(definition, stateAfter(input), facts({ providerReadyAt: 5_600 }))).toEqual([
      { kind: 'wait', until: 5_600 },
    ]);
  });

  it('makes the call again, as the next attempt of the round, when the time has come', () => {
    const action = only(decide(definition, stateAfter(input, { ...failed, retryAt: 5_500 }), facts()));
    expect(action).toMatchObject({ kind: 'call_model', round: 1, attempt: 2 });
  });

  it('ends a run whose time is over while it waits', () => {
    const state = stateAfter(input, { ...failed, retryAt: 9_000 });
    expect(decide(definition, state, facts({ now: 6_000 }))).toEqual([
      { kind: 'end', state: 'timed_out', reason: null },
    ]);
  });

  it('fails the run when a later attempt failed for good', () => {
    const actions = decide(definition, stateAfter(input, { ...failed, retryAt: 5_000 }, failed), facts());
    expect(actions).toEqual([{ kind: 'end', state: 'failed', reason: 'model_failed' }]);
  });

  it('fails the run when the model call failed for good', () => {
    const actions = decide(definition, stateAfter(input, failed), facts());
    expect(actions).toEqual([{ kind: 'end', state: 'failed', reason: 'model_failed' }]);
  });

  it('counts only what failed since the last reply', () => {
    const call = newId(CallId);
    const answered = reply({ parts: [calling('search', call)], finish: 'calls' });
    const action = only(decide(definition, stateAfter(input, failed, answered, settled(call)), facts()));
    expect(action).toMatchObject({ kind: 'call_model', attempt: 1 });
  });
});

describe('Transcript', () => {
  it('holds the conversation, what it costs to keep, and how far it has come', () => {
    const transcript = new Transcript();
    transcript.add({ seq: 1, body: input, hidden: [] });
    transcript.add({ seq: 2, body: reply({ parts: [calling('search')] }), hidden: [] });
    expect(transcript.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(transcript.size).toBe('Hello'.length + '{}'.length);
    expect(transcript.seq).toBe(2);
  });

  it('takes the answer as given although it is hidden', () => {
    const transcript = new Transcript();
    transcript.add({ seq: 1, body: input, hidden: [] });
    transcript.add({ seq: 2, body: reply(), hidden: [0] });
    expect(transcript.messages).toHaveLength(1);
    expect(transcript.answer).toBe('stop');
  });

  it('gives the model the word again with the next input', () => {
    const transcript = new Transcript();
    for (const [index, body] of [input, reply(), input].entries()) transcript.add({ seq: index + 1, body, hidden: [] });
    expect(transcript.answer).toBeNull();
  });
});
