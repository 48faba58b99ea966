import {
  CallId,
  CallOutcome,
  type Event,
  type FaultyAnswer,
  type InputPart,
  type Message,
  messagesOf,
  newId,
  type ReplyPart,
  type TextPart,
} from '@parley/core';
import fc from 'fast-check';
import { type ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { type Quirks, USUAL } from '../provider/quirks.js';
import { toChatRequest, wireCallId } from './chat-request.js';

const text = (value: string | null): TextPart => ({ type: 'text', text: value, origin: 'user' });
const call = (id: CallId, name = 'f', args: string | null = '{}'): ReplyPart => ({
  type: 'call',
  id,
  name,
  arguments: args,
  origin: 'model',
});
const result = (id: CallId, value: string | null, outcome: CallOutcome = 'result'): Message => ({
  role: 'tool',
  call: id,
  outcome,
  parts: [{ type: 'text', text: value, origin: 'tool' }],
});
const sent = (messages: Message[], instructions = '', quirks: Partial<Quirks> = {}): ChatCompletionMessageParam[] =>
  toChatRequest({ model: 'm', quirks: { ...USUAL, ...quirks } }, { instructions, messages, parameters: {} }).messages;
const [a, b] = [newId(CallId), newId(CallId)];

/** What the Chat Completions API asks of a conversation; the first rule that is broken. */
const broken = (messages: ChatCompletionMessageParam[]): string | undefined => {
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    const content = message.content ?? '';
    if (typeof content !== 'string') return `content ${at} is no text`;
    if (!content.isWellFormed() || content.includes('\0')) return `content ${at} is not well-formed`;
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id)) return `result ${at} has no call`;
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return `calls before ${at} are not answered`;
    if (message.role === 'system' && at > 0) return `system message at ${at}`;
    const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
    if (content === '' && calls.length === 0) return `message ${at} is empty`;
    if (message.role === 'assistant' && message.tool_calls?.length === 0)
      return `message ${at} has an empty list of calls`;
    for (const one of calls) {
      if (one.type !== 'function') return `call of ${at} is of type ${one.type}`;
      if (!/^[a-zA-Z0-9_-]{1,40}$/.test(one.id)) return `id ${one.id}`;
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(one.function.name)) return `name ${one.function.name}`;
      if (one.function.arguments === '' || !one.function.arguments.isWellFormed()) return `arguments of ${at}`;
    }
    open = calls.map(({ id }) => id);
    if (new Set(open).size < open.length) return `ids of ${at} repeat`;
  }
  return open.length > 0 ? 'the last calls are not answered' : undefined;
};

describe('toChatRequest', () => {
  test('sends images in their places among the words, and words alone as plain text', () => {
    const url = 'https://images.example/a.png';
    const at: Message = {
      role: 'user',
      parts: [
        text('What is this?'),
        { type: 'image', source: { kind: 'url', url }, origin: 'user' },
        text(null),
        { type: 'image', source: { kind: 'base64', mediaType: 'image/webp', data: 'aGk=' }, origin: 'user' },
        { type: 'image', source: null, origin: 'user' },
      ],
    };
    expect(sent([at])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url } },
          { type: 'image_url', image_url: { url: 'data:image/webp;base64,aGk=' } },
        ],
      },
    ]);
    const erased: InputPart = { type: 'image', source: null, origin: 'user' };
    expect(sent([{ role: 'user', parts: [text('Hi'), erased] }])).toEqual([{ role: 'user', content: 'Hi' }]);
    expect(sent([{ role: 'user', parts: [erased] }])).toEqual([]);
  });

  test('tells a model of an image that it made by a word, since it can be told nothing else', () => {
    const made: ReplyPart = { type: 'image', source: { kind: 'url', url: 'https://a.example' }, origin: 'model' };
    const parts: ReplyPart[] = [{ type: 'text', text: 'Here: ', origin: 'model' }, made, { ...made, source: null }];
    expect(sent([{ role: 'assistant', parts }])).toEqual([{ role: 'assistant', content: 'Here: [image]' }]);
  });

  describe('heeds the quirk', () => {
    const thought: Message = {
      role: 'assistant',
      parts: [{ type: 'reasoning', text: 'hm', origin: 'model' }, call(a, 'x'.repeat(80))],
    };

    test.each<[Partial<Quirks>, object]>([
      [{}, { content: null }],
      [{ emptyContent: 'empty' }, { content: '' }],
      [{ echoReasoning: 'reasoning_content' }, { content: null, reasoning_content: 'hm' }],
      [{ echoReasoning: 'reasoning' }, { content: null, reasoning: 'hm' }],
    ])('%j in what a model said', (quirks, expected) => {
      const [said] = sent([thought], '', quirks);
      expect({ ...said, tool_calls: undefined }).toEqual({ role: 'assistant', ...expected });
    });

    test.each([
      [{}, 64],
      [{ nameLength: 40 }, 40],
    ])('%j in the names of tools', (quirks, length) => {
      const [said] = sent([thought], '', quirks);
      expect(said).toMatchObject({ tool_calls: [{ function: { name: 'x'.repeat(length) } }] });
    });

    test.each(['system', 'developer', 'user'] as const)('systemRole %s', (systemRole) => {
      expect(sent([], 'Be kind.', { systemRole })).toEqual([{ role: systemRole, content: 'Be kind.' }]);
    });

    test('streamOptions and maxTokensField', () => {
      const quirks: Quirks = { ...USUAL, streamOptions: false, maxTokensField: 'max_tokens' };
      const parameters = { max_completion_tokens: 7 };
      expect(toChatRequest({ model: 'm', quirks }, { instructions: '', messages: [], parameters })).toStrictEqual({
        model: 'm',
        max_tokens: 7,
        stream: true,
        messages: [],
      });
    });
  });

  describe('asks for an answer of a form', () => {
    const output = { name: 'city', strict: true, schema: { type: 'object' } };
    const asked = (quirks: Partial<Quirks>, repair?: FaultyAnswer) =>
      toChatRequest(
        { model: 'm', quirks: { ...USUAL, ...quirks } },
        { instructions: 'Be kind.', messages: [], parameters: {}, output, repair },
      );

    test('that the provider sees to', () => {
      expect(asked({})).toMatchObject({
        response_format: { type: 'json_schema', json_schema: output },
        messages: [{ role: 'system', content: 'Be kind.' }],
      });
    });

    test.each([
      ['json_object', { response_format: { type: 'json_object' } }],
      ['instructions', {}],
    ] as const)('that the instructions demand: %s', (structuredOutput, expected) => {
      const request = asked({ structuredOutput });
      expect(request).toMatchObject(expected);
      expect('response_format' in request).toBe('response_format' in expected);
      expect(request.messages[0]?.content).toBe(
        'Be kind.\n\nAnswer with JSON alone, valid by this JSON Schema: {"type":"object"}',
      );
    });

    test('again, with the answer that was none and what was wrong with it', () => {
      const parts: ReplyPart[] = [{ type: 'reasoning', text: 'hm', origin: 'model' }, text('["Oslo"]')];
      const told = { role: 'user', content: expect.stringMatching(/valid JSON alone.*: it must be object$/) };
      const repair = { message: 'it must be object', parts };
      expect(asked({}, repair).messages.slice(1)).toEqual([{ role: 'assistant', content: '["Oslo"]' }, told]);
      expect(asked({ echoReasoning: 'reasoning' }, repair).messages[1]).toHaveProperty('reasoning', 'hm');
      const erased = [{ ...text(''), text: null }];
      for (const gone of [undefined, [], erased]) {
        expect(asked({}, { ...repair, parts: gone }).messages.slice(1)).toEqual([told]);
      }
    });
  });

  test('asks for a stream with usage, under the given parameters only', () => {
    const parameters = { temperature: 0.5, top_p: undefined, stop: ['x'], logprobs: true, top_logprobs: 3 };
    expect(
      toChatRequest({ model: 'm', quirks: USUAL }, { instructions: 'Be kind.', messages: [], parameters }),
    ).toStrictEqual({
      model: 'm',
      temperature: 0.5,
      logprobs: true,
      top_logprobs: 3,
      stop: ['x'],
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'system', content: 'Be kind.' }],
    });
  });

  test('gives each call of a reply its result, right behind it and in its order', () => {
    const history: Message[] = [
      { role: 'user', parts: [text('hi'), text('there')] },
      {
        role: 'assistant',
        parts: [{ type: 'reasoning', text: 'hm', origin: 'model' }, text('One '), text('moment'), call(a), call(b)],
      },
      result(b, 'two'),
      { role: 'user', parts: [text('hurry')] },
      result(a, 'one'),
    ];
    expect(sent(history)).toStrictEqual([
      { role: 'user', content: 'hi\n\nthere' },
      {
        role: 'assistant',
        content: 'One moment',
        tool_calls: [a, b].map((id) => ({
          id: wireCallId(id),
          type: 'function',
          function: { name: 'f', arguments: '{}' },
        })),
      },
      { role: 'tool', tool_call_id: wireCallId(a), content: 'one' },
      { role: 'tool', tool_call_id: wireCallId(b), content: 'two' },
      { role: 'user', content: 'hurry' },
    ]);
  });

  test.each<[CallOutcome, string | null, string]>([
    ['result', 'fine', 'fine'],
    ['result', null, ''],
    ['error', 'no such file', 'Error: no such file'],
    ['denied', null, 'Denied'],
    ['denied', 'not today', 'Denied: not today'],
    ['cancelled', 'The run ended.', 'Cancelled: The run ended.'],
    ['unknown_outcome', null, 'Outcome unknown'],
  ])('tells the model of a call that ended as %s (%s): %s', (outcome, said, told) => {
    expect(sent([{ role: 'assistant', parts: [call(a)] }, result(a, said, outcome)])[1]?.content).toBe(told);
  });

  test('takes the first result of a call for its result', () => {
    const history: Message[] = [{ role: 'assistant', parts: [call(a)] }, result(a, 'first'), result(a, 'second')];
    expect(sent(history).map(({ content }) => content)).toEqual([null, 'first']);
  });

  test('leaves out results without their call, and says of a call without its result that it has none', () => {
    const history: Message[] = [result(a, 'orphan'), { role: 'assistant', parts: [call(b)] }, result(a, 'orphan')];
    expect(sent(history).map(({ role, content }) => [role, content])).toEqual([
      ['assistant', null],
      ['tool', 'The result of this call is not available.'],
    ]);
  });

  test('leaves out what was erased, and messages that have nothing left', () => {
    const erased: Message[] = [
      { role: 'user', parts: [text(null), text('kept')] },
      { role: 'user', parts: [text(null)] },
      { role: 'assistant', parts: [text(null), { type: 'reasoning', text: 'hm', origin: 'model' }] },
      { role: 'assistant', parts: [text(null), call(a, 'f', null)] },
      result(a, null),
    ];
    expect(sent(erased)).toStrictEqual([
      { role: 'user', content: 'kept' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: wireCallId(a), type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: wireCallId(a), content: '' },
    ]);
  });

  test('echoes a name that no provider would take as one that they all do', () => {
    const nameOf = (name: string): unknown => sent([{ role: 'assistant', parts: [call(a, name)] }])[0];
    expect(['', 'a.b c', 'é😀', 'x'.repeat(99)].map(nameOf)).toMatchObject(
      ['_', 'a_b_c', '___', 'x'.repeat(64)].map((name) => ({ tool_calls: [{ function: { name } }] })),
    );
  });

  describe('keeps the rules of the API', () => {
    const words = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(null, '', '\ud83d', 'a\0'));
    const parts = fc.array(words.map(text), { maxLength: 3 });
    const hidden = fc.array(fc.nat({ max: 5 }), { maxLength: 3 });
    const settled = fc.record({
      id: fc.uuid({ version: 4 }).map((id) => CallId.parse(id)),
      name: fc.string({ unit: 'binary', maxLength: 80 }),
      arguments: words,
      outcome: fc.constantFrom(...CallOutcome.options),
      parts,
    });
    type Logged = Pick<Event, 'body' | 'hidden'>;
    const input = fc.record({
      body: fc.record({ kind: fc.constant('input' as const), parts }),
      hidden,
    }) satisfies fc.Arbitrary<Logged>;

    /** A reply, and the results of its calls in any order; who hides a call hides its result. */
    const round = fc
      .record({
        said: parts,
        thought: words,
        calls: fc.uniqueArray(settled, { maxLength: 4, selector: ({ id }) => id }),
        hidden,
      })
      .chain(({ said, thought, calls, hidden }) => {
        const spoken: ReplyPart[] = [{ type: 'reasoning', text: thought, origin: 'model' }, ...said];
        const replied: Logged = {
          body: {
            kind: 'model_replied',
            round: 1,
            parts: [...spoken, ...calls.map((one) => call(one.id, one.name, one.arguments))],
            usage: { input: 1, cachedInput: 0, output: 1, reasoning: 0, estimated: false },
            model: 'p/m',
            finish: 'stop',
          },
          hidden,
        };
        const results = calls.map(({ id, outcome, parts }, index): Logged => ({
          body: { kind: 'call_settled', call: id, outcome, parts },
          hidden: hidden.includes(spoken.length + index) ? [0] : [],
        }));
        return fc
          .shuffledSubarray(results, { minLength: results.length })
          .map((shuffled): Logged[] => [replied, ...shuffled]);
      });
    const log = fc
      .array(fc.oneof(round, fc.array(input, { minLength: 1, maxLength: 2 })), { maxLength: 6 })
      .map((groups) => groups.flat());
    const requestOf = (entries: Logged[], from = 1): ChatCompletionMessageParam[] => {
      const events = entries.map((one, i): Event => ({ ...one, seq: i + 1, run: null, at: new Date(0), live: null }));
      return sent(messagesOf(events, [[from, null]]), 'Be kind.');
    };

    test('for every history that a log can hold', () => {
      fc.assert(
        fc.property(log, (entries) => expect(broken(requestOf(entries))).toBeUndefined()),
        { numRuns: 500 },
      );
    });

    test('even when it begins in the middle, and events were lost', () => {
      const torn = log.chain((entries) => fc.tuple(fc.subarray(entries), fc.integer({ min: 1, max: 4 })));
      fc.assert(
        fc.property(torn, ([entries, from]) => expect(broken(requestOf(entries, from))).toBeUndefined()),
        { numRuns: 500 },
      );
    });
  });
});
