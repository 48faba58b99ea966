import { type CallId } from '../ids.js';
import { type CallOutcome, type Event } from './event.js';
import { inForce, type Head } from './head.js';
import { type InputPart, type Part, type ReplyPart, type TextPart } from './part/part.js';

/** What a model is shown of a history. */
export type Message =
  | { role: 'user'; parts: InputPart[] }
  | { role: 'assistant'; parts: ReplyPart[] }
  | { role: 'tool'; call: CallId; outcome: CallOutcome; parts: TextPart[] };

/**
 * The conversation that a log holds: what is in force and not hidden. A hidden call hides its result and the other way
 * round, so that every call shown has its result; the store hides both (DESIGN §1).
 */
export const messagesOf = (events: Iterable<Event>, spans: Head['spans']): Message[] => {
  const messages: Message[] = [];
  for (const event of events) {
    if (!inForce(spans, event.seq)) continue;
    const message = messageOf(event);
    if (message) messages.push(message);
  }
  return messages;
};

/** What one event in force adds to the conversation; undefined: nothing. */
export const messageOf = ({ body, hidden }: Pick<Event, 'body' | 'hidden'>): Message | undefined => {
  switch (body.kind) {
    case 'input': {
      const parts = shown(body.parts, hidden);
      return parts.length > 0 ? { role: 'user', parts } : undefined;
    }
    case 'model_replied': {
      const parts = shown(body.parts, hidden);
      return parts.length > 0 ? { role: 'assistant', parts } : undefined;
    }
    case 'call_settled':
      return hidden.includes(0)
        ? undefined
        : { role: 'tool', call: body.call, outcome: body.outcome, parts: body.parts };
    case 'call_dispatched':
    case 'asked':
    case 'answered':
    case 'rewound':
    case 'model_failed':
    case 'restarted':
    case 'run_ended':
      return undefined;
  }
};

const shown = <P extends Part>(parts: P[], hidden: number[]): P[] =>
  parts.filter((_, index) => !hidden.includes(index));
