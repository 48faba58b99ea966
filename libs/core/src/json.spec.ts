import { jsonFault } from './json.js';

const nested = (levels: number): unknown => {
  let value: unknown = 'end';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

describe('a JSON value', () => {
  it('is faultless when every text can be stored and it is at most 64 deep', () => {
    expect(jsonFault({ a: [1, true, null, 'wörd 🙂', nested(61)], '': 'no name is a name' })).toBeUndefined();
  });

  it.each([
    ['\u0000', '', 'holds U+0000 or half of a surrogate pair'],
    [{ a: [{ b: '\ud800' }] }, 'a[0].b', 'holds U+0000 or half of a surrogate pair'],
    [{ a: { 'x\u0000': 1 } }, 'a', 'has a key with U+0000 or half of a surrogate pair'],
    [JSON.parse('{"a":[{"__proto__":{}}]}'), 'a[0].__proto__', 'is a key that is not allowed'],
    [{ a: { constructor: 1 } }, 'a.constructor', 'is a key that is not allowed'],
  ])('%j has its fault at %j', (value, path, reason) => {
    expect(jsonFault(value)).toEqual({ path, reason });
  });

  it('that is deeper than 64 levels is found out without a deeper look', () => {
    const fault = jsonFault({ a: nested(100_000) });
    expect(fault?.reason).toBe('is nested deeper than 64 levels');
    expect(fault?.path.startsWith('a')).toBe(true);
  });
});
