import { type Expected, type Fixture } from './fixture.js';
import { choices, event, responds, role, said, take } from './wire.js';

type About = Pick<Fixture, 'name' | 'shows' | 'source'>;

/** An error in the middle of the answer. */
const midway = (about: About, raw: string, expected: Expected): Fixture => ({
  ...about,
  text: take(role + said('half an') + raw, expected),
});

const error = (message: string, code: string | null, type = 'invalid_request_error'): object => ({
  error: { message, type, param: null, code },
});

const limited = (name: string, shows: string, retryAfter: () => string, waitMs: readonly [number, number] | null) =>
  responds(
    { name, shows, source: 'B23' },
    () => ({
      status: 429,
      headers: { 'retry-after': retryAfter() },
      body: error('Too many requests.', 'rate_limit_exceeded', 'requests'),
    }),
    { fails: 'rate_limited', says: 'Too many requests.', waitMs },
  );

const refused = (about: About, status: number, body: unknown, expected: Expected): Fixture =>
  responds(about, () => ({ status, body }), expected);

const html = { 'content-type': 'text/html' };
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();
const busy: Expected = { fails: 'server_error', says: 'Busy.' };

const streamed: readonly Fixture[] = [
  midway(
    { name: 'q36', shows: 'an error after text', source: 'B20' },
    event({ error: { message: 'Busy.', code: 500 } }),
    busy,
  ),
  midway({ name: 'q36-text', shows: 'an error that is a text', source: 'B20' }, event({ error: 'Busy.' }), busy),
  midway(
    { name: 'q37', shows: 'an event named error', source: 'B20' },
    `event: error\n${event({ message: 'Busy.' })}`,
    busy,
  ),
  midway(
    { name: 'q38', shows: 'an error inside the choice', source: 'B20' },
    event(choices({ index: 0, delta: {}, error: { message: 'Busy.', code: 502 }, finish_reason: 'error' })),
    busy,
  ),
  midway({ name: 'q41', shows: 'an event that is no JSON', source: 'B20' }, 'data: {"choices":[\n\n', {
    fails: 'bad_response',
  }),
  midway(
    { name: 'q36-base-resp', shows: 'a base_resp after text', source: 'B20' },
    event({ ...choices(), base_resp: { status_code: 1002, status_msg: 'Slow.' } }),
    { fails: 'rate_limited', says: 'Slow.' },
  ),
  midway({ name: 'q36-words', shows: 'an error that is no JSON', source: 'B20' }, 'data: [ERROR] Busy.\n\n', {
    fails: 'incomplete',
    says: '[ERROR] Busy.',
  }),
];

/** MiniMax says with 200 what is wrong. */
const minimax = (code: number, message: string, fails: string): Fixture =>
  refused(
    { name: `base-resp-${code}`, shows: `200 with the base_resp ${code}`, source: 'B20' },
    200,
    { id: 'x', choices: null, base_resp: { status_code: code, status_msg: message } },
    { fails, says: `${message} (${code})`, waitMs: null },
  );

const whole: readonly Fixture[] = [
  minimax(1000, 'unknown error', 'server_error'),
  minimax(1002, 'rate limit', 'rate_limited'),
  minimax(1004, 'login fail', 'auth'),
  minimax(1008, 'insufficient balance', 'quota'),
  minimax(1027, 'output new_sensitive', 'filtered'),
  minimax(2013, 'invalid params', 'bad_request'),
  {
    ...minimax(2013, 'invalid params, context window exceeds limit', 'context_length'),
    ...{ name: 'base-resp-context', shows: '200 with a base_resp that the conversation is too long' },
  },
  refused({ name: 'q39', shows: '200 with an error', source: 'B20' }, 200, error('Busy.', null, 'server_error'), busy),
  responds(
    { name: 'q40', shows: '200 with a page', source: 'B20' },
    () => ({ status: 200, headers: html, body: '<html>Sign in</html>' }),
    { fails: 'bad_response' },
  ),
  refused({ name: 'q40-empty', shows: '200 with nothing', source: 'B20' }, 200, '', { fails: 'bad_response' }),
  refused({ name: 'q40-204', shows: '204', source: 'B20' }, 204, '', { fails: 'bad_response' }),
];

const refusals: readonly Fixture[] = [
  limited('429', '429 that asks for two seconds', () => '2', [2_000, 2_000]),
  limited('429-long', '429 that asks for ten minutes', () => '600', [600_000, 600_000]),
  limited('429-date', '429 that names a time', () => inSeconds(5), [2_000, 5_000]),
  limited('429-past', '429 that names a time that is over', () => inSeconds(-60), null),
  limited('429-negative', '429 that asks for less than nothing', () => '-5', null),
  limited('429-junk', '429 that asks for nonsense', () => 'soon', null),
  refused(
    { name: '429-quota', shows: '429 because nothing is left to spend', source: 'B23' },
    429,
    error('You exceeded your current quota.', 'insufficient_quota', 'insufficient_quota'),
    { fails: 'quota' },
  ),
  responds(
    { name: '503', shows: '503 with a page', source: 'B23' },
    () => ({ status: 503, headers: html, body: '<html>Service Unavailable</html>' }),
    { fails: 'overloaded' },
  ),
  refused(
    { name: '400-context', shows: 'a conversation that is too long', source: 'B23' },
    400,
    error("This model's maximum context length is 8192 tokens.", 'context_length_exceeded'),
    { fails: 'context_length' },
  ),
  refused(
    { name: '401', shows: 'a key that is wrong', source: 'B70' },
    401,
    error('Incorrect API key provided.', 'invalid_api_key'),
    { fails: 'auth' },
  ),
];

/** What providers say instead of an answer, and where they say it. */
export const errors: readonly Fixture[] = [...streamed, ...whole, ...refusals];
