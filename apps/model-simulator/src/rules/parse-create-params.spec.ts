import { ApiError } from '../http/api-error.js';
import { parseCreateParams } from './parse-create-params.js';

const user = { role: 'user', content: 'hello' };
const call = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } });
const calling = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'seen' });
const tool = (name: string, rest: object = {}) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' }, ...rest },
});
const closed = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };

function refusal(text: string, extensions: string[] = []): ApiError {
  try {
    parseCreateParams(text, extensions);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

const request = (body: object) => JSON.stringify({ model: 'sim-20-0', messages: [user], ...body });
const conversation = (...messages: object[]) => request({ messages });
const says = (content: unknown) => conversation({ role: 'user', content });

describe('a request that OpenAI accepts', () => {
  it.each<[string, string]>([
    ['with one message', conversation(user)],
    ['with parallel calls answered in another order', conversation(user, calling('a', 'b'), result('b'), result('a'))],
    ['with an id used again in a later turn', conversation(calling('a'), result('a'), calling('a'), result('a'))],
    ['with arguments that are no JSON', conversation({ ...calling(), tool_calls: [call('a')] }, result('a'))],
    ['with empty text', says('')],
    ['with a strict tool', request({ tools: [tool('a', { strict: true, parameters: closed })] })],
    ['with a chosen tool', request({ tools: [tool('a')], tool_choice: { type: 'function', function: { name: 'a' } } })],
    ['with an escaped emoji', `{"model":"m","messages":[{"role":"user","content":"\\ud83d\\ude00"}]}`],
  ])('%s passes', (_, text) => {
    expect(parseCreateParams(text)).toEqual(JSON.parse(text));
  });
});

describe('a request that OpenAI refuses', () => {
  it.each<[string, string, string | null, string | null]>([
    ['no JSON', '{"model":', null, null],
    ['not an object', '[]', null, 'invalid_type'],
    ['no messages', '{"model":"m"}', 'messages', 'missing_required_parameter'],
    ['no model', '{"messages":[{"role":"user","content":"x"}]}', 'model', 'missing_required_parameter'],
    ['empty messages', conversation(), 'messages', 'empty_array'],
    ['an unknown key', request({ temprature: 1 }), 'temprature', 'unknown_parameter'],
    ['an unknown key deep inside', conversation({ ...user, id: 'x' }), 'messages[0].id', 'unknown_parameter'],
    [
      '__proto__',
      `{"model":"m","messages":[{"role":"user","content":"x","__proto__":{}}]}`,
      'messages[0].__proto__',
      'invalid_value',
    ],
    ['an unknown role', conversation({ role: 'bot', content: 'x' }), 'messages[0].role', 'invalid_value'],
    ['no role', conversation({ content: 'x' }), 'messages[0].role', 'missing_required_parameter'],
    ['no content', conversation({ role: 'user' }), 'messages[0].content', 'missing_required_parameter'],
    ['content of a wrong type', says(5), 'messages[0].content', 'invalid_type'],
    ['content null of a user', says(null), 'messages[0].content', 'invalid_type'],
    ['empty parts', says([]), 'messages[0].content', 'empty_array'],
    ['an unknown part', says([{ type: 'video' }]), 'messages[0].content[0].type', 'invalid_value'],
    ['a part without text', says([{ type: 'text' }]), 'messages[0].content[0].text', 'missing_required_parameter'],
    [
      'several bad parts',
      says([{ type: 'text' }, { type: 'text' }]),
      'messages[0].content[0].text',
      'missing_required_parameter',
    ],
    [
      'an image that is none',
      says([{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }]),
      'messages[0].content[0].image_url.url',
      'invalid_value',
    ],
    [
      'an image as a string',
      says([{ type: 'image_url', image_url: 'https://x' }]),
      'messages[0].content[0].image_url',
      'invalid_type',
    ],
    ['a number as text', request({ temperature: '1' }), 'temperature', 'invalid_type'],
    ['a decimal above its range', request({ temperature: 2.5 }), 'temperature', 'decimal_above_max_value'],
    ['a number below its range', request({ max_tokens: 0 }), 'max_tokens', 'decimal_below_min_value'],
    ['a decimal for an integer', request({ max_tokens: 1.5 }), 'max_tokens', 'invalid_type'],
    ['five stop sequences', request({ stop: ['a', 'b', 'c', 'd', 'e'] }), 'stop', 'array_above_max_length'],
    ['null where the SDK has none', request({ user: null }), 'user', 'invalid_type'],
    ['U+0000 in text', says('a\u0000b'), 'messages[0].content', 'invalid_value'],
    [
      'a lone surrogate in a part',
      says([{ type: 'text', text: 'x\ud83d' }]),
      'messages[0].content[0].text',
      'invalid_value',
    ],
    [
      'a lone surrogate in arguments',
      conversation({ ...calling(), tool_calls: [{ ...call('a'), function: { name: 'f', arguments: '\udc00' } }] }),
      'messages[0].tool_calls[0].function.arguments',
      'invalid_value',
    ],
    [
      'arguments that are an object',
      conversation({ ...calling(), tool_calls: [{ ...call('a'), function: { name: 'f', arguments: {} } }] }),
      'messages[0].tool_calls[0].function.arguments',
      'invalid_type',
    ],
    [
      'a call id over 40 characters',
      conversation(calling('x'.repeat(41)), result('x'.repeat(41))),
      'messages[0].tool_calls[0].id',
      'string_above_max_length',
    ],
    ['no calls in tool_calls', conversation(calling()), 'messages[0].tool_calls', 'empty_array'],
    ['a tool name with a space', request({ tools: [tool('a b')] }), 'tools[0].function.name', 'invalid_value'],
    [
      'a tool name over 64 characters',
      request({ tools: [tool('a'.repeat(65))] }),
      'tools[0].function.name',
      'invalid_value',
    ],
    ['no tools', request({ tools: [] }), 'tools', 'empty_array'],
    ['two tools of one name', request({ tools: [tool('a'), tool('a')] }), 'tools[1]', 'invalid_value'],
    [
      'parameters that are no object schema',
      request({ tools: [tool('a', { parameters: { type: 'string' } })] }),
      'tools[0].function.parameters',
      'invalid_function_parameters',
    ],
    [
      'an open strict tool',
      request({ tools: [tool('a', { strict: true })] }),
      'tools[0].function.parameters',
      'invalid_function_parameters',
    ],
    ['a choice without tools', request({ tool_choice: 'auto' }), 'tool_choice', 'invalid_value'],
    [
      'a choice of no tool',
      request({ tools: [tool('a')], tool_choice: { type: 'function', function: { name: 'b' } } }),
      'tool_choice',
      'invalid_value',
    ],
    [
      'a choice of no kind',
      request({ tools: [tool('a')], tool_choice: { type: 'any' } }),
      'tool_choice.type',
      'invalid_value',
    ],
    ['parallel calls without tools', request({ parallel_tool_calls: true }), 'parallel_tool_calls', 'invalid_value'],
    ['stream options without a stream', request({ stream_options: {} }), 'stream_options', 'invalid_value'],
    ['two limits', request({ max_tokens: 1, max_completion_tokens: 1 }), 'max_tokens', 'invalid_value'],
    ['top_logprobs alone', request({ top_logprobs: 1 }), 'top_logprobs', 'invalid_value'],
    [
      'json_object without the word',
      request({ response_format: { type: 'json_object' } }),
      'messages',
      'invalid_value',
    ],
    [
      'a response schema without a name',
      request({ response_format: { type: 'json_schema', json_schema: { schema: {} } } }),
      'response_format.json_schema.name',
      'missing_required_parameter',
    ],
    [
      'a response format without a schema',
      request({ response_format: { type: 'json_schema', json_schema: { name: 'a' } } }),
      'response_format.json_schema.schema',
      'missing_required_parameter',
    ],
    [
      '17 pairs of metadata',
      request({ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, 'x'])) }),
      'metadata',
      'object_above_max_properties',
    ],
    ['more choices than we give', request({ n: 2 }), 'n', 'invalid_value'],
  ])('%s', (_, text, param, code) => {
    expect(refusal(text)).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', param, code, message: expect.stringMatching(/\S.*\.$/s) } },
    });
  });

  it('with JSON of 8,000 levels is refused in no time', () => {
    const deep = `${'['.repeat(8000)}${']'.repeat(8000)}`;
    expect(refusal(`{"model":"m","messages":${deep}}`).status).toBe(400);
    expect(refusal(request({}).replace('}', `,"metadata":${deep}}`)).status).toBe(400);
  });
});

describe('strict schemas', () => {
  const strict = (schema: object) =>
    request({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema, strict: true } } });
  const withA = (schema: object) => ({ ...closed, properties: { a: schema } });

  it.each<[string, object]>([
    ['closed objects', closed],
    ['objects in arrays and unions', withA({ type: 'array', items: { anyOf: [closed, { type: 'null' }] } })],
    ['definitions', { ...withA({ $ref: '#/$defs/x' }), $defs: { x: closed } }],
    ['data that looks like a schema', withA({ type: 'string', enum: ['object'], default: { type: 'object' } })],
  ])('with %s pass', (_, schema) => {
    expect(parseCreateParams(strict(schema)).model).toBe('sim-20-0');
  });

  it.each<[string, object, string]>([
    ['a root that is no object', { type: 'array', items: closed }, 'root'],
    ['an open object', { type: 'object', properties: {} }, 'additionalProperties'],
    ['an optional property', { ...closed, required: [] }, `'a' is missing`],
    ['an open object in a property', withA({ type: 'object' }), 'context=(a)'],
    ['an open object in a union', withA({ anyOf: [closed, { type: 'object' }] }), 'context=(a, anyOf, 1)'],
    ['an open definition', { ...closed, $defs: { x: { type: 'object' } } }, 'context=(x)'],
  ])('with %s are refused', (_, schema, why) => {
    expect(refusal(strict(schema)).body.error).toMatchObject({
      param: 'response_format.json_schema.schema',
      code: 'invalid_json_schema',
      message: expect.stringContaining(why),
    });
  });
});

describe('extensions of a provider', () => {
  const echoing = conversation({ ...calling('a'), reasoning_content: 'hm' }, { ...result('a') }, user);

  it('are refused unless the script allows them', () => {
    expect(refusal(echoing).body.error.param).toBe('messages[0].reasoning_content');
    expect(parseCreateParams(echoing, ['messages[].reasoning_content']).messages).toHaveLength(3);
  });

  it('that are allowed do not let other keys pass', () => {
    const more = request({ messages: [{ ...user, reasoning_content: 'x', other: 1 }] });
    expect(refusal(more, ['messages[].reasoning_content']).body.error.param).toBe('messages[0].other');
  });
});
