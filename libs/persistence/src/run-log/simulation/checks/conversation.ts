import { type CallId, type Message } from '@parley/core';
import { must } from '../broken.js';

/** @throws Broken when a model would refuse these messages: each call has its one result, right behind its reply. */
export const checkConversation = (messages: readonly Message[]): void => {
  const waiting = new Set<CallId>();
  for (const message of messages) {
    if (message.role === 'tool') {
      must(waiting.delete(message.call), 'a model is shown a result without its call');
      continue;
    }
    must(waiting.size === 0, 'a model is shown a call without its result');
    if (message.role === 'user') continue;
    for (const part of message.parts) if (part.type === 'call') waiting.add(part.id);
  }
  must(waiting.size === 0, 'a model is shown a call without its result');
};
