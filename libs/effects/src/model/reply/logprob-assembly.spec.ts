import { Logprobs } from '@parley/core';
import fc from 'fast-check';
import { LogprobAssembly } from './logprob-assembly.js';

const joined = (...said: unknown[]): Logprobs | undefined => {
  const assembly = new LogprobAssembly();
  for (const one of said) assembly.take(one);
  return assembly.logprobs;
};

describe('what a provider says of its tokens', () => {
  it('is joined in the order of the chunks', () => {
    const chunks = ['a', 'b', 'c'].map((token, at) => ({ content: [{ token, logprob: -at }] }));
    expect(joined(...chunks)?.text.map(([token]) => token)).toEqual(['a', 'b', 'c']);
  });

  it('is kept well-formed, whatever the token is', () => {
    const token = 'a\u0000\ud83d';
    expect(joined({ content: [{ token, logprob: -1 }] })?.text).toEqual([['a\uFFFD\uFFFD', -1, []]]);
  });

  it('of a token without end is kept in its beginning', () => {
    const [[token] = ['']] = joined({ content: [{ token: ' '.repeat(5_000), logprob: -1 }] })?.text ?? [];
    expect(token.length).toBe(256);
  });

  it('is kept to twenty tokens at each place', () => {
    const top_logprobs = Array.from({ length: 50 }, () => ({ token: 'x', logprob: -2 }));
    expect(joined({ content: [{ token: 'x', logprob: -1, top_logprobs }] })?.text[0]?.[2]).toHaveLength(20);
  });

  it('is cut where it would not fit into an event, and says so', () => {
    const content = Array.from({ length: 100_000 }, () => ({ token: 'token', logprob: -1.234567 }));
    const kept = joined({ content }, { content });
    expect(kept?.cut).toBe(true);
    expect(kept?.text.length).toBeGreaterThan(4_000);
    expect(JSON.stringify(kept).length).toBeLessThan(131_200);
  });

  it.each(['\u0001', '€', '"'])('of tokens of %j is counted as it travels', (letter) => {
    const content = Array.from({ length: 2_000 }, () => ({ token: letter.repeat(256), logprob: -1 }));
    const kept = JSON.stringify(joined({ content }));
    expect(Buffer.byteLength(kept)).toBeLessThan(131_200);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(128_000);
  });

  it('is nothing where nothing is said', () => {
    expect(joined(undefined, null, {}, { content: [] }, { content: null })).toBeUndefined();
  });

  it('of any form gives what the log takes', () => {
    fc.assert(
      fc.property(fc.array(fc.anything()), fc.anything(), (content, top) => {
        const kept = joined({ content }, { content: [{ token: 'a', logprob: -1, top_logprobs: top }] }, content);
        expect(Logprobs.parse(kept)).toEqual(kept);
      }),
    );
  });
});
