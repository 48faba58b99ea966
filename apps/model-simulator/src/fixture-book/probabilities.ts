import { type Fixture } from './fixture.js';
import { choices, done, event, finish, hi, role, take, wholeText } from './wire.js';

type About = Pick<Fixture, 'name' | 'shows'>;
type Wanted = NonNullable<Extract<Fixture['text']['expected'], { finish: string }>['logprobs']> | null;

const weighed = (token: string, logprob: unknown, rest: object = {}): object => ({ token, logprob, ...rest });

/** A chunk that says a piece, and this of its tokens. */
const saying = (content: string, logprobs: unknown): string =>
  event(choices({ index: 0, delta: { content }, logprobs, finish_reason: null }));

const asked = (about: About, stream: string, logprobs: Wanted): Fixture => ({
  ...about,
  source: 'B21',
  asksLogprobs: true,
  text: take(stream, { ...hi, finish: 'stop', logprobs }),
});

const told = (...logprobs: unknown[]): string =>
  `${role}${['h', 'i'].map((piece, at) => saying(piece, logprobs[at])).join('')}${finish('stop')}${done}`;

const h = weighed('h', -0.5, { bytes: [104], top_logprobs: [weighed('h', -0.5), weighed('H', -1.25)] });
const i = weighed('i', -9999, { bytes: null, top_logprobs: [] });

/** What providers say of the probabilities of their tokens. */
export const probabilities: readonly Fixture[] = [
  asked({ name: 'logprobs', shows: 'probabilities, token by token' }, told({ content: [h] }, { content: [i] }), {
    text: [
      [
        'h',
        -0.5,
        [
          ['h', -0.5],
          ['H', -1.25],
        ],
      ],
      ['i', -9999, []],
    ],
    cut: false,
  }),
  asked(
    { name: 'logprobs-odd', shows: 'probabilities without bytes, null, and of no form' },
    told({ content: [weighed('h', -1), weighed('h', null), null, 'h', { logprob: -1 }], refusal: null }, null),
    { text: [['h', -1, []]], cut: false },
  ),
  asked(
    { name: 'logprobs-legacy', shows: 'probabilities as the completions of old have them' },
    told({ tokens: ['h'], token_logprobs: [-1], top_logprobs: [{ h: -1 }] }, -0.25),
    null,
  ),
  asked({ name: 'logprobs-none', shows: 'no probabilities, though asked for' }, wholeText, null),
  {
    ...{ name: 'logprobs-refusal', shows: 'probabilities of a refusal', source: 'B14', asksLogprobs: true },
    text: take(
      event(
        choices({
          ...{ index: 0, delta: { role: 'assistant', refusal: 'No.' }, finish_reason: null },
          logprobs: { content: null, refusal: [weighed('No.', -0.125)] },
        }),
      ) +
        finish('stop') +
        done,
      { text: 'No.', finish: 'filtered', logprobs: { text: [], refusal: [['No.', -0.125, []]], cut: false } },
    ),
  },
  {
    ...{ name: 'logprobs-unasked', shows: 'probabilities that nobody asked for', source: 'B21' },
    text: take(told({ content: [h] }, { content: [i] }), { ...hi, finish: 'stop', logprobs: null }),
  },
  {
    ...{ name: 'logprobs-whole', shows: 'probabilities of an answer in one piece', source: 'B21', asksLogprobs: true },
    text: {
      answer: () => [
        {
          respond: {
            status: 200,
            body: choices({
              ...{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' },
              logprobs: { content: [weighed('hi', -0.5)], refusal: null },
            }),
          },
        },
      ],
      expected: { ...hi, finish: 'stop', logprobs: { text: [['hi', -0.5, []]], cut: false } },
    },
  },
  {
    ...{ name: 'logprobs-refused', shows: 'a model that tells no probabilities', source: 'B22', asksLogprobs: true },
    text: {
      answer: () => [
        {
          respond: {
            status: 400,
            body: { error: { message: "Unsupported parameter: 'logprobs'.", type: 'invalid_request_error' } },
          },
        },
      ],
      expected: { fails: 'bad_request', says: 'logprobs' },
    },
  },
];
