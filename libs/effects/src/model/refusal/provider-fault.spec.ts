import { MODEL_FAILURES } from '../model-failure.js';
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

  const exhausted = (quotaId: string): string =>
    JSON.stringify([
      {
        error: {
          code: 429,
          message: 'You exceeded your current quota, please check your plan and billing details.',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] }],
        },
      },
    ]);

  test.each([
    [429, openai('insufficient_quota', 'no money', 'insufficient_quota')],
    [429, openai(null, 'no money', 'insufficient_quota')],
    [403, openai('insufficient_user_quota', 'no money', 'new_api_error')],
    [429, openai('billing_hard_limit_reached', 'Billing hard limit has been reached')],
    [400, openai('billing_hard_limit_reached', 'Billing hard limit has been reached')],
    [429, openai('billing_not_active', 'Your account is not active', 'billing_not_active')],
    [429, '{"error":{"message":"no money","type":"exceeded_current_quota_error"}}'],
    [400, '{"error":{"message":"Budget has been exceeded!","type":"budget_exceeded"}}'],
    [
      400,
      '{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to go on"}}',
    ],
    [402, ''],
    [402, '{"error":{"message":"This request requires more credits, or fewer max_tokens.","code":402}}'],
    [429, '{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}'],
    [403, '{"code":"x","error":"Your team has used all available credits or reached its monthly spending limit."}'],
    [400, '{"error":{"code":"Arrearage","message":"Access denied, please check your account."}}'],
    [403, '{"error":{"code":"AccountOverdueError","message":"no money"}}'],
    [429, exhausted('GenerateRequestsPerDayPerProjectPerModel-FreeTier')],
  ])('HTTP %s %s is final: there is nothing left to spend', (status, body) => {
    const { code } = providerFault(body, status);
    expect(code).toBe('quota');
    expect(MODEL_FAILURES[code].retryable).toBe(false);
  });

  test.each([
    [429, exhausted('GenerateRequestsPerMinutePerProjectPerModel-FreeTier')],
    [429, openai('rate_limit_exceeded', 'Limit on requests per day (RPD): try again in 7m12s', 'requests')],
    [429, openai('rate_limit_exceeded', 'Limit on tokens per min (TPM)', 'tokens')],
    [429, '{"error":{"code":"429","message":"You have exceeded the token rate limit of your pricing tier."}}'],
  ])('HTTP %s %s is over after a while', (status, body) => {
    expect(providerFault(body, status).code).toBe('rate_limited');
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
