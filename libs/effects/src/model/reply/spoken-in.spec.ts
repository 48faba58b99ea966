import { refusalIn, spokenIn } from './spoken-in.js';

const says = (said: string) => ({ type: 'text', text: said });
const thinks = (thought: string) => ({ type: 'reasoning', text: thought });

describe('what a delta says', () => {
  test.each([
    ['nothing', {}, []],
    ['text', { content: 'a', reasoning: null }, [says('a')]],
    ['reasoning before text', { content: 'a', reasoning_content: 'r' }, [thinks('r'), says('a')]],
    ['the same reasoning in several fields', { reasoning: 'r', reasoning_details: [{ text: 'r' }] }, [thinks('r')]],
    [
      'reasoning in details alone',
      { content: '', reasoning_details: [{ type: 'reasoning.text', text: 'r' }, { summary: 's' }, { data: 'enc' }] },
      [thinks('rs')],
    ],
    [
      'a list of parts',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'output_text', text: 'b' },
        ],
      },
      [says('a'), says('b')],
    ],
    [
      'a part that thinks',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'r' }] },
          { type: 'text', text: 'a' },
        ],
      },
      [thinks('r'), says('a')],
    ],
    ['a part that thinks in text', { content: [{ type: 'thinking', thinking: 'r' }] }, [thinks('r')]],
    ['parts that are bare text, or empty', { content: ['a', { type: 'text', text: null }] }, [says('a')]],
    ['no refusal', { content: [{ type: 'refusal', refusal: 'No.' }] }, []],
  ])('is %s', (_, delta, told) => {
    expect(spokenIn(delta)).toEqual(told);
  });

  test.each([
    ['an object', { content: {} }, "'content' that is no text"],
    ['a number', { reasoning: 7 }, "'reasoning' that is no text"],
    ['a part that is none', { content: [7] }, 'no object'],
    ['a sound', { content: [{ type: 'output_audio', data: 'aGk=' }] }, "unknown type 'output_audio'"],
  ])('is not %s', (_, delta, reason) => {
    expect(() => spokenIn(delta)).toThrow(reason);
  });

  test.each([
    ['a field of its own', { content: null, refusal: 'No.' }],
    ['a part of the content', { content: [{ type: 'refusal', refusal: 'No.' }] }],
  ])('may be a refusal, in %s', (_, delta) => {
    expect(refusalIn(delta)).toBe('No.');
  });
});
