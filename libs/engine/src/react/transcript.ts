import { messageOf, sizeOfPart, type Event, type EventBody, type FaultyAnswer, type Message } from '@parley/core';
import { type Finish, type ReactState } from './react-state.js';

/**
 * The fold of a session's history that a react agent decides by. It is fed the events in force, in order; after a
 * `rewound`, or when a part was hidden, shown or erased, it is made anew.
 */
export class Transcript {
  readonly messages: Message[] = [];
  /** See `ReactState`. */
  answer: Finish | null = null;
  /** See `ReactState`. */
  fault: FaultyAnswer | null = null;
  /** See `ReactState`. */
  failure: ReactState['failure'] = 'model_failed';
  /** Last event of the log that was folded, in force or not. */
  seq = 0;
  /** Text and images that it holds, in UTF-16 units: what it costs to keep. */
  size = 0;

  add(event: Pick<Event, 'seq' | 'body' | 'hidden'>): void {
    const { seq, body } = event;
    this.seq = seq;
    this.answer = answerAfter(this.answer, body);
    this.fault = faultAfter(this.fault, event);
    if (body.kind === 'model_failed') this.failure = failureOf(body.code);
    const message = messageOf(event);
    if (!message) return;
    this.messages.push(message);
    for (const part of message.parts) this.size += sizeOfPart(part);
  }
}

const answerAfter = (answer: Finish | null, body: EventBody): Finish | null => {
  switch (body.kind) {
    case 'model_replied':
      return body.finish;
    case 'input':
    case 'call_settled':
      return null;
    case 'call_dispatched':
    case 'asked':
    case 'answered':
    case 'rewound':
    case 'model_failed':
    case 'restarted':
    case 'run_ended':
      return answer;
  }
};

/** A fault is mended by a reply, and forgotten with what came in between; failures of another kind leave it as it is. */
const faultAfter = (
  fault: FaultyAnswer | null,
  { body, hidden }: Pick<Event, 'body' | 'hidden'>,
): FaultyAnswer | null => {
  if (body.kind === 'model_failed') {
    const { message, parts = [] } = body;
    return body.code === INVALID_OUTPUT ? { message, parts: parts.filter((_, part) => !hidden.includes(part)) } : fault;
  }
  return body.kind === 'model_replied' || body.kind === 'input' || body.kind === 'run_ended' ? null : fault;
};

/** All other codes say how the provider failed. */
const failureOf = (code: string): ReactState['failure'] =>
  code === INVALID_OUTPUT || code === 'price_unknown' ? code : 'model_failed';

/** The code of a failure that is an answer of the wrong form. */
const INVALID_OUTPUT = 'invalid_output';
