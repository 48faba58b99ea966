import { CreateParams } from './create-params.js';

/** `Required`: a field that the SDK adds, and `sdk-drift.ts` therefore makes us add, does not compile until it is here. */
const everyField: Required<CreateParams> = {
  model: 'sim-20-0',
  messages: [
    { role: 'developer', content: [{ type: 'text', text: 'rules', prompt_cache_breakpoint: { mode: 'explicit' } }] },
    { role: 'system', content: 'be brief', name: 'operator' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        { type: 'file', file: { file_id: 'file-1', filename: 'a.pdf' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'looking' },
        { type: 'refusal', refusal: 'no' },
      ],
      refusal: null,
      audio: { id: 'audio-1' },
      function_call: null,
      name: 'agent',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } },
        { id: 'b', type: 'custom', custom: { name: 'draw', input: 'x' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: 'seen' },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'drawn' }] },
    { role: 'function', name: 'old', content: null },
  ],
  audio: { format: 'wav', voice: { id: 'v' } },
  frequency_penalty: 0,
  function_call: { name: 'old' },
  functions: [{ name: 'old', description: 'd', parameters: { type: 'object' } }],
  logit_bias: { '50256': -100 },
  logprobs: true,
  max_completion_tokens: 10,
  max_tokens: null,
  metadata: { key: 'value' },
  modalities: ['text'],
  moderation: { model: 'm', policy: { input: { mode: 'score' }, output: null } },
  n: 1,
  parallel_tool_calls: false,
  prediction: { type: 'content', content: [{ type: 'text', text: 'x' }] },
  presence_penalty: null,
  prompt_cache_key: 'k',
  prompt_cache_options: { mode: 'implicit', ttl: '30m' },
  prompt_cache_retention: '24h',
  reasoning_effort: 'high',
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' }, strict: null } },
  safety_identifier: 's',
  seed: 7,
  service_tier: 'auto',
  stop: ['a', 'b'],
  store: false,
  stream: true,
  stream_options: { include_usage: true, include_obfuscation: false },
  temperature: 1.5,
  tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function' }] } },
  tools: [
    { type: 'function', function: { name: 'look', description: 'd', parameters: { type: 'object' }, strict: false } },
    {
      type: 'custom',
      custom: { name: 'draw', format: { type: 'grammar', grammar: { definition: 'x', syntax: 'lark' } } },
    },
  ],
  top_logprobs: 2,
  top_p: 0.5,
  user: 'u',
  verbosity: 'low',
  web_search_options: {
    search_context_size: 'low',
    user_location: { type: 'approximate', approximate: { city: 'Bern' } },
  },
};

describe('CreateParams', () => {
  it('accepts a request that uses every field of the SDK, and returns it unchanged', () => {
    expect(CreateParams.parse(everyField)).toEqual(everyField);
  });
});
