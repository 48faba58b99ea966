import { reportedUsage } from './token-usage.js';

describe('what a provider reports of its tokens', () => {
  test.each([
    [
      'in the names of chat completions',
      {
        prompt_tokens: 9,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    ],
    [
      'in the names of the Responses API',
      {
        input_tokens: 9,
        output_tokens: 5,
        input_tokens_details: { cached_tokens: 4 },
        output_tokens_details: { reasoning_tokens: 2 },
      },
    ],
    [
      'with what was cached beside the rest',
      {
        prompt_tokens: 9,
        completion_tokens: 5,
        prompt_cache_hit_tokens: 4,
        output_tokens_details: { reasoning_tokens: 2 },
      },
    ],
  ])('is read %s, with what was cached and thought of it', (_, usage) => {
    expect(reportedUsage(usage)).toEqual({ input: 9, cachedInput: 4, output: 5, reasoning: 2, estimated: false });
  });

  test('is read in the names of Ollama, which tell neither', () => {
    expect(reportedUsage({ prompt_eval_count: 9, eval_count: 5 })).toEqual({
      input: 9,
      cachedInput: 0,
      output: 5,
      reasoning: 0,
      estimated: false,
    });
  });

  test.each([
    ['a total alone', { total_tokens: 14 }],
    ['one side alone', { input_tokens: 9 }],
    ['details alone', { input_tokens_details: { cached_tokens: 4 } }],
    ['zeros', { input_tokens: 0, output_tokens: 0 }],
    ['no object', 14],
  ])('is nothing where it is %s', (_, usage) => {
    expect(reportedUsage(usage)).toBeUndefined();
  });
});
