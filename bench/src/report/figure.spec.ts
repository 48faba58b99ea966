import { isMet, shown } from './figure.js';
import { quantile } from './quantile.js';
import { table } from './table.js';

describe('a figure', () => {
  it('keeps a bound up to the bound itself, and none when it could not be measured', () => {
    const of = (value: number) => isMet({ name: 'x', value, unit: 'ms', target: { most: 3 } });
    expect([of(2.9), of(3), of(3.1), of(NaN)]).toEqual([true, true, false, false]);
    expect(isMet({ name: 'x', value: 0.1, unit: '', target: { least: 0.1 } })).toBe(true);
    expect(isMet({ name: 'x', value: 9, unit: '' })).toBeUndefined();
  });

  it('is shown with the digits that count', () => {
    expect([0.12345, 1.2345, 12.345, 123.45, 12_345.6, 2, NaN].map(shown)).toEqual([
      ...['0.123', '1.23', '12.3', '123', '12,346', '2', '–'],
    ]);
  });

  it('stands in a table with its bound and its verdict', () => {
    const text = table('1  added time', [
      { name: 'p50', value: 1.5, unit: 'ms', target: { most: 1 } },
      { name: 'direct', value: 0.25, unit: 'ms' },
    ]);
    expect(text.split('\n')).toEqual(['1  added time', '  p50      1.50 ms  ≤ 1  MISSED', '  direct  0.250 ms', '']);
  });
});

describe('a quantile', () => {
  it('is the sample at the nearest rank', () => {
    const samples = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([0, 0.5, 0.99, 1].map((q) => quantile(samples, q))).toEqual([1, 50, 99, 100]);
    expect(quantile([7], 0.99)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });
});
