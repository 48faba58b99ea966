import fc from 'fast-check';
import { ThinkTags } from './think-tags.js';

const told = (...pieces: string[]): { text: string; reasoning: string } => tell(new ThinkTags(), pieces);

const tell = (tags: ThinkTags, pieces: string[]): { text: string; reasoning: string } => {
  const all = [...pieces.flatMap((piece) => tags.take(piece)), ...tags.end()];
  const of = (type: string): string =>
    all
      .filter((one) => one.type === type)
      .map(({ text }) => text)
      .join('');
  return { text: of('text'), reasoning: of('reasoning') };
};

describe('ThinkTags', () => {
  test.each([
    ['an answer', { text: 'an answer', reasoning: '' }],
    ['<think>hm</think>\n\nan answer', { text: 'an answer', reasoning: 'hm' }],
    ['\n<think>\nhm\n</think>an answer', { text: 'an answer', reasoning: '\nhm\n' }],
    ['<think></think>an answer', { text: 'an answer', reasoning: '' }],
    ['<think>a < b, a </ b, </thin', { text: '', reasoning: 'a < b, a </ b, </thin' }],
    ['<think>cut off', { text: '', reasoning: 'cut off' }],
    ['<thinking>is no tag', { text: '<thinking>is no tag', reasoning: '' }],
    ['<thin', { text: '<thin', reasoning: '' }],
    ['it says <think>this</think>', { text: 'it says <think>this</think>', reasoning: '' }],
    ['<think>one</think>two<think>three</think>', { text: 'two<think>three</think>', reasoning: 'one' }],
    ['  spaces stay', { text: '  spaces stay', reasoning: '' }],
    ['hm</think>an answer', { text: 'hm</think>an answer', reasoning: '' }],
    ['', { text: '', reasoning: '' }],
  ])('tells %j apart, however it is cut', (answer, expected) => {
    expect(told(answer)).toEqual(expected);
    expect(told(...answer)).toEqual(expected);
    for (let at = 1; at < answer.length; at++) expect(told(answer.slice(0, at), answer.slice(at))).toEqual(expected);
  });

  test.each([
    ['hm</think>\n\nan answer', { text: 'an answer', reasoning: 'hm' }],
    ['<think>hm</think>an answer', { text: 'an answer', reasoning: 'hm' }],
    ['</think>an answer', { text: 'an answer', reasoning: '' }],
    ['\nhm</think>an </think> answer', { text: 'an </think> answer', reasoning: '\nhm' }],
    ['<thi', { text: '', reasoning: '<thi' }],
    ['cut off', { text: '', reasoning: 'cut off' }],
  ])('tells %j apart where the answer begins inside of the thoughts, however it is cut', (answer, expected) => {
    for (const pieces of [[answer], [...answer]]) expect(tell(new ThinkTags(true), pieces)).toEqual(expected);
  });

  test('makes the same of any answer however it is cut', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('<think>', '</think>', '<', '/', '\n', 'th'));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(told(...pieces)).toEqual(told(pieces.join('')));
      }),
    );
  });

  test('holds back no more than a tag, and of text nothing', () => {
    const tags = new ThinkTags();
    expect(tags.take('A')).toEqual([{ type: 'text', text: 'A' }]);
    expect(tags.take('<')).toEqual([{ type: 'text', text: '<' }]);
  });
});
