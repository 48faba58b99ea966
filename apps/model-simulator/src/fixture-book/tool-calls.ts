import { type Fixture } from './fixture.js';
import { called, chunk, done, finish, look, more, opened, role, take } from './wire.js';

const ARGS = '{"city":"Bern"}';
const end = finish('tool_calls') + done;
const text = take(role + chunk({ content: 'hi' }) + finish('stop') + done, { text: 'hi', finish: 'stop' });
const both = {
  calls: [
    ['look', ARGS],
    ['hear', '{"far":1}'],
  ],
  finish: 'calls',
} as const;

type About = [name: string, shows: string, source: Fixture['source']];

const calling = ([name, shows, source]: About, stream: string, expected: Fixture['text']['expected']): Fixture => ({
  ...{ name, shows, source, text },
  tool: take(role + stream, expected),
});

/** A call whose arguments are these, as they are. */
const odd = ([name, shows, source]: About, args: unknown, made: string): Fixture =>
  calling([name, shows, source], called(opened('a', 'look', args, 0)) + end, {
    calls: [['look', made]],
    finish: 'calls',
  });

/** How providers cut, number and name the calls of tools. */
export const toolCalls: readonly Fixture[] = [
  calling(
    ['q07', 'a call in three pieces without index', 'B01'],
    called(opened('a', 'look', '')) + called(more('{"city":')) + called(more('"Bern"}')) + end,
    look,
  ),
  calling(
    ['q08', 'two calls with ids, without index', 'B01'],
    called(opened('a', 'look', ARGS)) + called(opened('b', 'hear', '')) + called(more('{"far":1}', { id: 'b' })) + end,
    both,
  ),
  calling(
    ['q09', 'two calls on one index', 'B02'],
    called(opened('a', 'look', ARGS, 0)) + called(opened('b', 'hear', '{"far":1}', 0)) + end,
    both,
  ),
  calling(
    ['q10', 'a call that begins on index 0 and goes on on index 1', 'B02'],
    called(opened('a', 'look', ARGS, 0)) +
      called(opened('b', 'hear', '{"far"', 0)) +
      called(more(':1}', { index: 1 })) +
      end,
    both,
  ),
  calling(
    ['q11', 'a call that never has an id', 'B03'],
    called(opened(undefined, 'look', '', 0)) + called(more(ARGS, { index: 0 })) + end,
    look,
  ),
  calling(
    ['q12', 'an id that is empty, then null, in later pieces', 'B03'],
    called(opened('a', 'look', '', 0)) +
      called(more('{"city":', { index: 0, id: '' })) +
      called(more('"Bern"}', { index: 0, id: null })) +
      end,
    look,
  ),
  {
    ...calling(['q13', 'the id of an earlier turn', 'B04'], called(opened('call_0', 'look', ARGS, 0)) + end, look),
    turns: 2,
  },
  calling(
    ['q13-twice', 'two calls with one id in one answer', 'B04'],
    called(opened('call_1', 'look', ARGS, 0)) + called(opened('call_1', 'hear', '{"far":1}', 1)) + end,
    both,
  ),
  calling(
    ['name-pieces', 'the name of a tool in pieces', 'B02'],
    called(opened('a', 'lo', '', 0)) +
      called({ index: 0, function: { name: 'o' } }) +
      called({ index: 0, function: { name: 'k', arguments: '{"city":' } }) +
      called(more('"Bern"}', { index: 0 })) +
      end,
    look,
  ),
  calling(
    ['name-repeated', 'the name of a tool whole in every piece', 'B02'],
    called(opened('a', 'look', '', 0)) +
      called(opened('a', 'look', '{"city":', 0)) +
      called(opened('a', 'look', '"Bern"}', 0)) +
      called(opened('a', 'look', '', 0)) +
      end,
    look,
  ),
  calling(
    ['args-placeholder', 'arguments {} before the real ones', 'B07'],
    called(opened('a', 'look', '{}', 0)) +
      called(more('{"city":', { index: 0 })) +
      called(more('"Bern"}', { index: 0 })) +
      end,
    look,
  ),
  calling(
    ['args-again', 'a whole call, and again whole at the end', 'B04'],
    called(opened('a', 'look', '', 0)) + called(more(ARGS, { index: 0 })) + called(opened('a', 'look', ARGS, 0)) + end,
    look,
  ),
  odd(['q14', 'empty arguments', 'B06'], '', '{}'),
  odd(['q16', 'arguments that are an object', 'B06'], { city: 'Bern' }, ARGS),
  odd(['q16-twice', 'arguments that are encoded twice', 'B06'], JSON.stringify(ARGS), JSON.stringify(ARGS)),
  {
    ...{ name: 'q17', shows: 'an answer that was cut off for its length', source: 'B07' },
    text: take(role + chunk({ content: 'half an' }) + finish('length') + done, { text: 'half an', finish: 'length' }),
    tool: take(role + called(opened('a', 'look', '{"path": "/tmp/x', 0)) + finish('length') + done, {
      calls: [['look', '{"path": "/tmp/x']],
      finish: 'length',
    }),
  },
  odd(['q17-list', 'arguments that are a list', 'B07'], '[1,2]', '[1,2]'),
  odd(['q17-null', 'arguments that are null', 'B07'], 'null', 'null'),
  odd(['q17-text', 'arguments that are a text', 'B07'], '"text"', '"text"'),
  odd(['q17-nan', 'arguments that are NaN', 'B07'], 'NaN', 'NaN'),
  odd(['q17-comma', 'arguments with a comma too many', 'B07'], '{"a":1,}', '{"a":1,}'),
  odd(['q17-nul', 'arguments with a raw NUL', 'B07'], '{"a":"\u0000"}', '{"a":"\uFFFD"}'),
  calling(
    ['q18', 'the reason stop beside a call', 'B08'],
    called(opened('a', 'look', ARGS, 0)) + finish('stop') + done,
    look,
  ),
  calling(['q19', 'the reason tool_calls beside no call', 'B09'], end, { fails: 'empty' }),
  calling(
    ['q44', 'the function_call of old', 'B01'],
    chunk({ function_call: { name: 'look', arguments: '{"city":' } }) +
      chunk({ function_call: { arguments: '"Bern"}' } }) +
      finish('function_call') +
      done,
    look,
  ),
];
