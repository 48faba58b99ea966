import { type CallId } from '@parley/core';
import { type SettleCall } from './react-action.js';
import { type ReactState } from './react-state.js';

/**
 * The result of a call that is not made: it names no tool that the agent has, or the reply was cut off before the call
 * was complete. The model reads it and goes on.
 */
export const refuseCall = (call: CallId, state: ReactState): SettleCall => ({
  kind: 'settle_call',
  call,
  outcome: 'error',
  text:
    state.answer === 'length'
      ? 'This call was not made: the reply ran into its token limit before it was complete.'
      : `This call was not made: there is no tool '${nameOf(call, state)}'. This agent has no tools.`,
});

const nameOf = (call: CallId, { messages }: ReactState): string => {
  const reply = messages.findLast(({ role }) => role === 'assistant');
  for (const part of reply?.parts ?? []) if (part.type === 'call' && part.id === call) return part.name;
  return '?';
};
