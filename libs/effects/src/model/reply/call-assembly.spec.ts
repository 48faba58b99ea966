import { type CallId } from '@parley/core';
import { ModelFault } from '../model-failure.js';
import { CallAssembly } from './call-assembly.js';

const callId = (index: number): CallId => `ours-${index}` as CallId;

/** Name and arguments of the calls in these pieces. */
const callsOf = (...pieces: unknown[]): [string, string | null][] => {
  const assembly = new CallAssembly();
  for (const piece of pieces) assembly.take(piece);
  return assembly.parts(callId).map((part) => [part.name, part.arguments]);
};
const piece = (
  id: string | number | null,
  index: number | string | null,
  name: string | null,
  args: unknown = null,
): unknown => ({
  ...(id !== null && { id }),
  ...(index !== null && { index }),
  type: 'function',
  function: { ...(name !== null && { name }), ...(args !== null && { arguments: args }) },
});
const two = [
  ['f', '{"p":1}'],
  ['g', '{"q":2}'],
];

describe('CallAssembly', () => {
  test('puts a call together by its index', () => {
    expect(callsOf(piece('a', 0, 'f', ''), piece(null, 0, null, '{"p"'), piece(null, 0, null, ':1}'))).toEqual([
      ['f', '{"p":1}'],
    ]);
  });

  test('gives calls our ids, numbered as they began', () => {
    const assembly = new CallAssembly();
    for (const one of [piece('x', 0, 'f', '{}'), piece('x', 1, 'g', '{}')]) assembly.take(one);
    expect(assembly.parts(callId).map(({ id }) => id)).toEqual(['ours-0', 'ours-1']);
  });

  test.each<[string, unknown[]]>([
    [
      'one behind the other',
      [
        piece('a', 0, 'f', ''),
        piece(null, 0, null, '{"p":1}'),
        piece('b', 1, 'g', ''),
        piece(null, 1, null, '{"q":2}'),
      ],
    ],
    [
      'interleaved',
      [
        piece('a', 0, 'f', ''),
        piece('b', 1, 'g', ''),
        piece(null, 0, null, '{"p"'),
        piece(null, 1, null, '{"q"'),
        piece(null, 0, null, ':1}'),
        piece(null, 1, null, ':2}'),
      ],
    ],
    ['whole, without index', [piece('a', null, 'f', '{"p":1}'), piece('b', null, 'g', '{"q":2}')]],
    [
      'in pieces, without index',
      [
        piece('a', null, 'f', '{"p"'),
        piece(null, null, null, ':1}'),
        piece('b', null, 'g'),
        piece('', null, null, '{"q":2}'),
      ],
    ],
    ['whole, on one index', [piece('a', 0, 'f', '{"p":1}'), piece('b', 0, 'g', '{"q":2}')]],
    [
      'in pieces, on one index',
      [
        piece('a', 0, 'f', '{"p"'),
        piece(null, 0, null, ':1}'),
        piece('b', 0, 'g', '{"q"'),
        piece(null, 0, null, ':2}'),
      ],
    ],
    [
      'the second one moving to another index',
      [
        piece('a', 0, 'f', '{"p":1}'),
        piece('b', 0, 'g', ''),
        piece(null, 1, null, '{"q"'),
        piece(null, 1, null, ':2}'),
      ],
    ],
    [
      'known by their ids, whatever the index says',
      [piece('a', 0, 'f'), piece('b', 1, 'g'), piece('a', 1, null, '{"p":1}'), piece('b', 0, null, '{"q":2}')],
    ],
    ['with one id for both', [piece('a', 0, 'f', '{"p":1}'), piece('a', 1, 'g', '{"q":2}')]],
    [
      'with one id for both, in pieces',
      [piece('a', 0, 'f', '{"p"'), piece('a', 0, null, ':1}'), piece('a', 1, 'g', ''), piece('a', 1, null, '{"q":2}')],
    ],
    ['without any id', [piece(null, 0, 'f', '{"p":1}'), piece(null, 1, 'g', '{"q"'), piece(null, 1, null, ':2}')]],
    [
      'numbered in text, in turn',
      [
        piece('a', '0', 'f', '{"p"'),
        piece('b', '1', 'g', '{"q"'),
        piece(null, '0', null, ':1}'),
        piece(null, '1', null, ':2}'),
      ],
    ],
    [
      'with numbers for ids, on one index',
      [piece(1, 0, 'f', '{"p"'), piece(2, 0, 'g', '{"q"'), piece(1, 0, null, ':1}'), piece(2, 0, null, ':2}')],
    ],
    [
      'that lie open, not in a function',
      [
        { id: 'a', index: 0, name: 'f', arguments: { p: 1 } },
        { id: 'b', index: 1, name: 'g', arguments: { q: 2 } },
      ],
    ],
    ['with neither id nor index', [piece(null, null, 'f', '{"p":1}'), piece(null, null, 'g', '{"q":2}')]],
    ['with a null index and an empty id', [piece('', null, 'f', '{"p":1}'), piece('', null, 'g', '{"q":2}')]],
  ])('keeps two calls apart: %s', (_, pieces) => {
    expect(callsOf(...pieces)).toEqual(two);
  });

  test('keeps two calls of one tool apart that share id and index', () => {
    expect(callsOf(piece('a', 0, 'f', '{"p":1}'), piece('a', 0, 'f', '{"p":2}'))).toEqual([
      ['f', '{"p":1}'],
      ['f', '{"p":2}'],
    ]);
  });

  test.each<[string, unknown[]]>([
    ['with every piece', [piece('a', 0, 'f', '{"p"'), piece('a', 0, 'f', ':{"q":'), piece('a', 0, 'f', '2}}')]],
    ['behind the end', [piece('a', 0, 'f', '{"p":{"q":2}}'), piece('a', 0, 'f', ''), piece('a', 0, 'f', '\n')]],
    ['late', [piece(null, 0, 'f', '{"p":'), piece('a', 0, null, '{"q":2}}')]],
    ['late and without index', [piece(null, null, 'f', '{"p":'), piece('a', null, null, '{"q":2}}')]],
  ])('takes one call for one call when its id and name come %s', (_, pieces) => {
    const calls = callsOf(...pieces).map(([name, args]) => [name, args?.trim()]);
    expect(calls).toEqual([['f', '{"p":{"q":2}}']]);
  });

  test.each<[string, unknown[]]>([
    [
      'by index',
      [piece('a', 0, 'get_', ''), piece(null, 0, 'wea'), piece(null, 0, 'ther', '{"p"'), piece(null, 0, null, ':1}')],
    ],
    ['by id', [piece('a', null, 'get_'), piece('a', null, 'weather', '{"p":1}')]],
    [
      'of a provider that gives ids and says this one once',
      [piece('a', null, 'get_'), piece(null, null, 'weather', '{"p":1}')],
    ],
    ['beside its arguments', [piece('a', 0, 'get_', '{"p"'), piece('a', 0, 'weather', ':1}')]],
    ['and once more whole', [piece('a', 0, 'get_'), piece('a', 0, 'weather'), piece('a', 0, 'get_weather', '{"p":1}')]],
    [
      'whole with every piece',
      [piece('a', 0, 'get_weather'), piece('a', 0, 'get_weather', '{"p"'), piece(null, 0, 'get_weather', ':1}')],
    ],
  ])('takes a name that comes in pieces: %s', (_, pieces) => {
    expect(callsOf(...pieces)).toEqual([['get_weather', '{"p":1}']]);
  });

  test.each<[string, unknown[]]>([
    ['in pieces', [piece('a', 0, 'f', '{}'), piece(null, 0, null, '{"p"'), piece(null, 0, null, ':1}')]],
    ['in one piece', [piece('a', 0, 'f', '{}{"p":1}')]],
    [
      'with id and name in every piece',
      [piece('a', 0, 'f', '{}'), piece('a', 0, 'f', '{"p"'), piece('a', 0, 'f', ':1}')],
    ],
    [
      'after several',
      [
        piece('a', 0, 'f', '{'),
        piece(null, 0, null, ' }'),
        piece(null, 0, null, ' {}\n'),
        piece(null, 0, null, '{"p":1}'),
      ],
    ],
    [
      'said twice',
      [
        piece('a', 0, 'f', '{}'),
        piece(null, 0, null, '{"p":1}'),
        piece('a', 0, 'f', '{"p":1}'),
        piece(null, 0, null, '{"p":1}'),
      ],
    ],
  ])('takes the real arguments behind a placeholder: %s', (_, pieces) => {
    expect(callsOf(...pieces)).toEqual([['f', '{"p":1}']]);
  });

  test('begins another call behind one that really has no arguments', () => {
    expect(callsOf(piece(null, 0, 'f', '{}'), piece(null, 0, 'g', '{"q":2}'))).toEqual([
      ['f', '{}'],
      ['g', '{"q":2}'],
    ]);
  });

  test('never makes one object of two that both say something: the model hears that it is none', () => {
    expect(callsOf(piece('a', 0, 'f', '{"p":1}'), piece(null, 0, null, '{"p":2}'))).toEqual([['f', '{"p":1}{"p":2}']]);
  });

  test('is not misled by an id that changes with every piece', () => {
    expect(callsOf(piece('a', 0, 'f', ''), piece('b', 0, null, '{"p"'), piece('c', 0, null, ':1}'))).toEqual([
      ['f', '{"p":1}'],
    ]);
  });

  test('is not misled by braces and quotes inside of strings', () => {
    const args = '{"text":"} \\" { \\\\"}';
    expect(callsOf(piece('a', 0, 'f', args), piece('a', 0, 'f', '{}'))).toEqual([
      ['f', args],
      ['f', '{}'],
    ]);
  });

  test.each([
    ['no arguments', '', '{}'],
    ['an object', { a: 1 }, '{"a":1}'],
    ['a list', [1, 2], '[1,2]'],
    ['broken JSON', '{"path": "/tmp/x', '{"path": "/tmp/x'],
    ['U+0000 and half a pair', '{"a":"\u0000\ud83d"}', '{"a":"\uFFFD\uFFFD"}'],
  ])('keeps %s as JSON text as it came', (_, given, kept) => {
    expect(callsOf(piece('a', 0, 'f', given))).toEqual([['f', kept]]);
  });

  test('keeps a call whose name never comes, so that the model hears of it', () => {
    expect(callsOf(piece('a', 0, null, '{}'))).toEqual([['', '{}']]);
  });

  test('refuses what is no call, and a flood of calls', () => {
    const codeOf = (act: () => unknown): unknown => {
      try {
        return act();
      } catch (error) {
        return error instanceof ModelFault ? error.code : error;
      }
    };
    expect(codeOf(() => callsOf('f'))).toBe('bad_response');
    expect(codeOf(() => callsOf(...Array.from({ length: 200 }, (_, i) => piece(`id${i}`, i, 'f', '{}'))))).toBe(
      'too_large',
    );
  });
});
