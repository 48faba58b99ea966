import { readFileSync } from 'node:fs';
import { type CreateParams } from '../params/create-params.js';
import { type AskedCompletion } from './matches.js';
import { parseScript } from './parse-script.js';
import { ScriptBook } from './script-book.js';
import { type Match, type Rule } from './script.js';

const say = (text: string, rest: Partial<Rule> = {}): Rule => ({ ...rest, name: text, answer: [{ say: text }] });

function asking(params: Partial<CreateParams> = {}): AskedCompletion {
  const whole: CreateParams = {
    model: 'sim-20-0',
    messages: [{ role: 'user', content: 'What is the weather?' }],
    ...params,
  };
  return { params: whole, body: JSON.stringify(whole) };
}

const afterLook = asking({
  messages: [
    { role: 'user', content: 'What is the weather?' },
    {
      role: 'assistant',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } },
        { id: 'b', type: 'function', function: { name: 'hear', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'b', content: 'rain' },
    {
      role: 'tool',
      tool_call_id: 'a',
      content: [
        { type: 'text', text: 'su' },
        { type: 'text', text: 'n' },
      ],
    },
  ],
});

describe('a rule', () => {
  it.each<[string, Match, AskedCompletion]>([
    ['without conditions', {}, asking()],
    ['on the exact text', { text: 'What is the weather?' }, asking()],
    ['on a regular expression', { text: { regex: 'WEATHER', flags: 'i' } }, asking()],
    ['on text in parts', { text: 'sun' }, afterLook],
    ['on the role', { role: 'tool' }, afterLook],
    ['on the tool that the last result is of', { afterTool: 'look' }, afterLook],
    ['on the model', { model: { regex: '^sim-' } }, asking()],
    ['on a stream', { stream: true }, asking({ stream: true })],
    ['on what the body holds', { has: 'messages[].tool_calls[].function' }, afterLook],
    ['on what it lacks', { lacks: 'stream_options' }, asking()],
    ['on all of it', { role: 'user', model: 'sim-20-0', stream: false }, asking()],
  ])('%s matches', (_, match, asked) => {
    expect(new ScriptBook({ rules: [say('x', { match })] }).take(asked)?.name).toBe('x');
  });

  it.each<[string, Match, AskedCompletion]>([
    ['on a part of the text', { text: 'weather' }, asking()],
    ['on an earlier message', { text: 'What is the weather?' }, afterLook],
    ['on a tool that was answered before the last', { afterTool: 'hear' }, afterLook],
    ['on a tool when the user spoke last', { afterTool: 'look' }, asking()],
    ['on another model', { model: 'sim-20' }, asking()],
    ['on a stream', { stream: true }, asking()],
    ['on what the body does not hold', { has: 'messages[].tool_calls' }, asking()],
    ['on a key of the prototype', { has: 'constructor' }, asking()],
    ['of which one condition fails', { role: 'user', text: 'no' }, asking()],
  ])('%s does not match', (_, match, asked) => {
    expect(new ScriptBook({ rules: [say('x', { match })] }).take(asked)).toBeUndefined();
  });

  it('answers as often as it says, then the next one does', () => {
    const book = new ScriptBook({ rules: [say('first', { times: 2 }), say('then')] });
    expect([1, 2, 3, 4].map(() => book.take(asking())?.name)).toEqual(['first', 'first', 'then', 'then']);
  });

  it('that does not match is not used up', () => {
    const book = new ScriptBook({ rules: [say('once', { times: 1, match: { role: 'tool' } }), say('else')] });
    expect([asking(), afterLook, afterLook].map((asked) => book.take(asked)?.name)).toEqual(['else', 'once', 'else']);
  });
});

describe('a script', () => {
  it('is what the README shows', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, example = ''] = /```json\n([^]*?)```/.exec(readme) ?? [];
    expect(parseScript(JSON.parse(example)).rules).toHaveLength(5);
  });

  it('knows the models that its rules name', () => {
    const rules = [
      say('a', { match: { model: 'gpt-x' } }),
      say('b', { match: { model: { regex: '^deep' } } }),
      say('c'),
    ];
    const book = new ScriptBook({ rules });
    expect(book.models).toEqual(['gpt-x']);
    expect(['gpt-x', 'deepseek', 'gpt'].map((model) => book.names(model))).toEqual([true, true, false]);
  });

  it.each<[string, unknown, string]>([
    ['no object', [], 'script: Invalid input: expected object, received array'],
    ['an unknown key', { rules: [], rule: 1 }, 'script: Unrecognized key: "rule"'],
    [
      'a bad regular expression',
      { rules: [{ match: { text: { regex: '(' } }, answer: [] }] },
      'rules[0].match.text: must be a regular expression of JavaScript',
    ],
    ['a bad path', { rules: [{ match: { has: 'a..b' }, answer: [] }] }, 'rules[0].match.has: '],
    ['times 0', { rules: [{ times: 0, answer: [] }] }, 'rules[0].times: '],
    ['an unknown verb', { rules: [{ answer: [{ shout: 'x' }] }] }, 'rules[0].answer[0]: must have one verb: say, '],
    ['two verbs', { rules: [{ answer: [{ say: 'x', wait: 1 }] }] }, 'rules[0].answer[0]: '],
    [
      'a wrong type',
      { rules: [{ answer: [{ say: 5 }] }] },
      'rules[0].answer[0].say: must be a string or an array of strings',
    ],
    [
      'a key too many',
      { rules: [{ answer: [{ say: 'x', delay: 1 }] }] },
      'rules[0].answer[0]: Unrecognized key: "delay"',
    ],
    [
      'steps after the end',
      { rules: [{ answer: [{ end: 'close' }, { say: 'x' }] }] },
      'rules[0].answer[1]: is never played',
    ],
    [
      'a head after text',
      { rules: [{ answer: [{ say: 'x' }, { respond: { status: 500 } }] }] },
      'rules[0].answer[1]: comes too late',
    ],
    [
      'an unknown fixture',
      { rules: [{ answer: [{ fixture: 'q0' }] }] },
      'rules[0].answer[0]: names no fixture of the book: q0',
    ],
    [
      'a fixture in an answer',
      { rules: [{ answer: [{ say: 'x' }, { fixture: 'q01' }] }] },
      'rules[0].answer[1]: comes too late',
    ],
    [
      'steps behind a fixture',
      { rules: [{ answer: [{ fixture: 'q01' }, { say: 'x' }] }] },
      'rules[0].answer[1]: is never played',
    ],
  ])('with %s is refused, with the path of the mistake', (_, value, line) => {
    expect(() => parseScript(value)).toThrow(`\n  ${line}`);
  });

  it('is refused with all of its mistakes at once', () => {
    expect(() => parseScript({ rules: [{ answer: 1 }, { times: 'x', answer: [] }] })).toThrow(
      /rules\[0\].answer[^]*rules\[1\].times/,
    );
  });
});
