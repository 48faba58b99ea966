import fc from 'fast-check';
import { ApiError } from '../http/api-error.js';
import { type Message } from '../params/messages.js';
import { checkConversation } from './conversation.js';

const user: Message = { role: 'user', content: 'hello' };
const calling = (...ids: string[]): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
});
const result = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: 'seen' });

function faultAt(...messages: Message[]): string | null | undefined {
  try {
    checkConversation(messages);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.body.error.param;
    throw error;
  }
}

describe('a conversation', () => {
  it.each<[string, string, Message[]]>([
    ['a call that nothing answers', 'messages[1].tool_calls', [user, calling('a')]],
    ['a call that is answered after another message', 'messages[0].tool_calls', [calling('a'), user, result('a')]],
    ['one of two calls unanswered', 'messages[0].tool_calls', [calling('a', 'b'), result('a'), user]],
    ['a result of no call', 'messages[1].tool_call_id', [user, result('a')]],
    ['a result of another call', 'messages[1].tool_call_id', [calling('a'), result('b')]],
    ['a result that comes twice', 'messages[2].tool_call_id', [calling('a'), result('a'), result('a')]],
    [
      'a result of an earlier group',
      'messages[3].tool_call_id',
      [calling('a'), result('a'), calling('b'), result('a')],
    ],
    ['two calls of one id', 'messages[0].tool_calls[1].id', [calling('a', 'a'), result('a')]],
    ['an assistant that says nothing', 'messages[0].content', [{ role: 'assistant', content: null }]],
  ])('with %s is refused at %s', (_, param, messages) => {
    expect(faultAt(...messages)).toBe(param);
  });

  it('is accepted exactly when each call has one result, in its group and in any order', () => {
    const group = fc.uniqueArray(fc.stringMatching(/^[a-f]$/), { minLength: 1, maxLength: 4 });
    const turn = group.chain((ids) =>
      fc.shuffledSubarray(ids, { minLength: ids.length }).map((order) => ({ ids, order })),
    );
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 5 }), fc.nat(), (turns, at) => {
        const messages = turns.flatMap(({ ids, order }) => [user, calling(...ids), ...order.map(result)]);
        expect(faultAt(...messages)).toBeUndefined();

        const results = messages.flatMap((message, index) => (message.role === 'tool' ? [index] : []));
        const without = messages.toSpliced(results[at % results.length] ?? 0, 1);
        expect(faultAt(...without)).toMatch(/^messages\[\d+\]\.tool_calls$/);
      }),
    );
  });
});
