import { providerFault } from './provider-fault.js';

const openai = (code: string | null, message: string, type = 'invalid_request_error'): string =>
  JSON.stringify({ error: { message, type, param: null, code } });

describe('providerFault', () => {
  test.each([
    [401, openai('invalid_api_key', 'Incorrect API key provided'), 'auth'],
    [403, openai(null, 'Country not supported'), 'auth'],
    [400, '[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]', 'auth'],
    [404, openai('model_not_found', 'The model `x` does not exist'), 'not_found'],
    [404, '<html>nginx</html>', 'not_found'],
    [400, openai('context_length_exceeded', "This model's maximum context length is 8192 tokens"), 'context_length'],
    [
      400,
      '{"object":"error","message":"This model\'s maximum context length is 4096 tokens.","code":400}',
      'context_length',
    ],
    [400, openai('content_filter', 'The response was filtered'), 'filtered'],
    [400, openai(null, 'Unknown parameter: foo'), 'bad_request'],
    [413, 'Request Entity Too Large', 'bad_request'],
    [422, '{"detail":[{"loc":["body","model"],"msg":"field required"}]}', 'bad_request'],
    [402, '{"error":{"message":"Insufficient Balance","type":"unknown_error"}}', 'quota'],
    [429, openai('insufficient_quota', 'You exceeded your current quota', 'insufficient_quota'), 'quota'],
    [429, openai('rate_limit_exceeded', 'Rate limit reached for gpt-4o', 'requests'), 'rate_limited'],
    [
      429,
      '[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED"}}]',
      'rate_limited',
    ],
    [429, '', 'rate_limited'],
    [408, '', 'timeout'],
    [503, '', 'overloaded'],
    [529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'overloaded'],
    [500, openai(null, 'The server had an error', 'server_error'), 'server_error'],
    [502, '<html>maximum context of this proxy</html>', 'server_error'],
  ])('HTTP %s %s is %s', (status, body, code) => {
    expect(providerFault(body, status).code).toBe(code);
  });

  test.each([
    ['{"error":{"message":"Rate limit exceeded","code":429}}', 'rate_limited'],
    ['{"error":{"message":"bad gateway","code":"502"}}', 'server_error'],
    ['{"error":{"message":"maximum context length is 8"}}', 'context_length'],
    ['{"error":"something broke"}', 'server_error'],
    ['{"type":"overloaded_error","message":"Overloaded"}', 'overloaded'],
    ['{"choices":[{"index":0,"error":{"code":401,"message":"no"},"finish_reason":"error"}]}', 'auth'],
    ['{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}', 'server_error'],
  ])('in the middle of an answer %s is %s', (body, code) => {
    expect(providerFault(body).code).toBe(code);
  });

  test.each([
    [openai(null, 'what is wrong'), 'what is wrong'],
    ['{"error":"what is wrong"}', 'what is wrong'],
    ['{"message":"what is wrong"}', 'what is wrong'],
    ['{"detail":"what is wrong"}', 'what is wrong'],
    ['{"detail":[{"msg":"what is wrong"}]}', '[{"msg":"what is wrong"}]'],
    ['[{"error":{"message":"what is wrong"}}]', 'what is wrong'],
    ['{"choices":[{"error":{"message":"what is wrong"}}]}', 'what is wrong'],
    ['  what\n is   wrong ', 'what is wrong'],
    ['{"error":{"reason":"what is wrong"}}', '{"error":{"reason":"what is wrong"}}'],
    ['', 'no reason given'],
    ['null', 'null'],
    ['[]', '[]'],
  ])('finds the message in %s', (body, message) => {
    expect(providerFault(body, 500).message).toBe(message);
  });
});
