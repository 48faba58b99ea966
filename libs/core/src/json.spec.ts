import fc from 'fast-check';
import { jsonFault, MAX_JSON_DEPTH } from './json.js';

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

  it('is faultless whatever it holds, if every text can be stored', () => {
    const values = fc
      .jsonValue({ stringUnit: 'grapheme', maxDepth: 6 })
      .filter((value) => !/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(value)));
    fc.assert(fc.property(values, (value) => expect(jsonFault(value)).toBeUndefined()));
  });

  it('has its fault wherever it is', () => {
    const steps = fc.array(fc.oneof(fc.nat(3), fc.stringMatching(/^[a-z]{1,4}$/)), { maxLength: MAX_JSON_DEPTH - 1 });
    fc.assert(
      fc.property(steps, fc.constantFrom('\u0000', '\ud800', 'a\udc00b'), (way, bad) => {
        const value = way.reduceRight<unknown>((inner, step) => planted(step, inner), bad);
        const path = way.reduce<string>((text, step) => {
          if (typeof step === 'number') return `${text}[${step}]`;
          return text === '' ? step : `${text}.${step}`;
        }, '');
        expect(jsonFault(value)).toEqual({ path, reason: 'holds U+0000 or half of a surrogate pair' });
      }),
    );
  });
});

/** A value with another one at this step, and sound things before it. */
const planted = (step: string | number, inner: unknown): unknown =>
  typeof step === 'number'
    ? [...Array.from({ length: step }, () => ({ sound: 'ü' })), inner]
    : { AA: [1], [step]: inner };
