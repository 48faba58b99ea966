import { type CallId, type Message } from '@parley/core';

/** The result of a call, as a message. */
export type ToolMessage = Extract<Message, { role: 'tool' }>;

/** A message as the Chat Completions API orders them: a reply stands together with the results of its calls. */
export interface Turn {
  message: Exclude<Message, ToolMessage>;
  /** The first result of each call that has one. */
  results: Map<CallId, ToolMessage>;
}

/**
 * Brings the results of a reply's calls to that reply, wherever they stand before the next one. Total: of any list of
 * messages it makes turns; a result without its call stays behind where nobody looks for it.
 */
export const turnsOf = (messages: readonly Message[]): Turn[] => {
  const turns: Turn[] = [];
  let reply: Turn | undefined;
  for (const message of messages) {
    if (message.role === 'tool') {
      if (reply && !reply.results.has(message.call)) reply.results.set(message.call, message);
      continue;
    }
    const turn: Turn = { message, results: new Map() };
    turns.push(turn);
    if (message.role === 'assistant') reply = turn;
  }
  return turns;
};
