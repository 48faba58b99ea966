import fc from 'fast-check';
import { costMicroUsdOf } from './usage.js';

const costing = (costUsd: number) => ({
  input: 1,
  cachedInput: 0,
  output: 1,
  reasoning: 0,
  estimated: false,
  costUsd,
});

describe('the cost of a model call', () => {
  it('is that of its tokens to the millionth of a dollar, rounded up, whatever binary fractions make of it', () => {
    const tokens = fc.nat(10_000_000);
    const price = fc.nat(1_000_000);
    fc.assert(
      fc.property(tokens, price, tokens, price, (input, inputPrice, output, outputPrice) => {
        const costUsd = (input * (inputPrice / 10_000) + output * (outputPrice / 10_000)) / 1_000_000;
        const exact = BigInt(input) * BigInt(inputPrice) + BigInt(output) * BigInt(outputPrice);
        expect(costMicroUsdOf(costing(costUsd))).toBe(Number((exact + 9_999n) / 10_000n));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    [0, 0],
    [1e-30, 1],
    [0.0026, 2_600],
    [0.000_000_3, 1],
    [1e300, Number.MAX_SAFE_INTEGER],
  ])('of %s dollars is %s millionths', (costUsd, expected) => {
    expect(costMicroUsdOf(costing(costUsd))).toBe(expected);
  });

  it('is nothing where it is not known', () => {
    const { costUsd: _unknown, ...usage } = costing(0);
    expect(costMicroUsdOf(usage)).toBe(0);
  });
});
