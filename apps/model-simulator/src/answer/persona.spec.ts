import { type CreateParams } from '../params/create-params.js';
import { persona } from './persona.js';
import { simModel } from './sim-model.js';

const asking = (rest: Partial<CreateParams> = {}): CreateParams => ({
  model: 'sim-20-0',
  messages: [{ role: 'user', content: 'Hello there' }],
  ...rest,
});
const said = (tokens: number, params = asking()) => {
  const [speech, end] = persona({ tokens, delayMs: 0 }, params);
  const text = speech && 'say' in speech ? [speech.say].flat() : [];
  return { text, finish: end && 'finish' in end ? end.finish : undefined };
};

describe('the persona of a built-in model', () => {
  it('says that it is a simulator, and what it was told', () => {
    expect(said(13).text.join('')).toBe(
      `I am Parley's built-in simulator, not a language model. You said: "Hello there".`,
    );
  });

  it('says exactly as many tokens as its name has', () => {
    for (const tokens of [0, 1, 12, 13, 14, 20, 777])
      expect(said(tokens)).toMatchObject({ text: { length: tokens }, finish: 'stop' });
  });

  it('repeats no more than the start of a long message, and never half a code point', () => {
    const text = said(60, asking({ messages: [{ role: 'user', content: '😀'.repeat(5000) }] })).text.join('');
    expect(text).toContain(`"${'😀'.repeat(120)} ..."`);
    expect(text.isWellFormed()).toBe(true);
  });

  it('stops at the limit of tokens, and says so', () => {
    expect(said(20, asking({ max_tokens: 5 }))).toMatchObject({ text: { length: 5 }, finish: 'length' });
    expect(said(20, asking({ max_completion_tokens: 5 }))).toMatchObject({ text: { length: 5 }, finish: 'length' });
    expect(said(5, asking({ max_tokens: 5 })).finish).toBe('stop');
  });

  it('stops before the first stop sequence, also in the middle of a token', () => {
    expect(said(20, asking({ stop: 'simul' }))).toEqual({
      text: ['I', ' am', " Parley's", ' built-in', ' '],
      finish: 'stop',
    });
    expect(said(20, asking({ stop: ['model', ' am'] })).text).toEqual(['I']);
    expect(said(20, asking({ stop: ['nowhere', ''] })).text).toHaveLength(20);
  });
});

describe('the name of a built-in model', () => {
  it('gives the number of tokens and the milliseconds between them', () => {
    expect(simModel('sim-100-20')).toEqual({ tokens: 100, delayMs: 20 });
  });

  it.each(['sim-20', 'sim-20-0-0', 'sim--1', 'sim-x-0', 'xsim-20-0', 'sim-1234567-0'])('is not %s', (name) => {
    expect(simModel(name)).toBeUndefined();
  });
});
