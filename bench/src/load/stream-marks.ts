import { type StreamKind } from './load-plan.js';

/** How the events that count are told from the others, without reading them as JSON. */
export interface StreamMarks {
  /** Whether the event shows text. */
  isText(event: string): boolean;
  /** Whether the event is the last one of a stream that came to its proper end. */
  isEnd(event: string): boolean;
  /** Whether the event tells of a failure. */
  isFault(event: string): boolean;
}

/** The marks of each kind of stream. */
export const STREAM_MARKS: Record<StreamKind, StreamMarks> = {
  chat: {
    isText: (event) => event.includes('"content":"') && !event.includes('"content":""'),
    isEnd: (event) => event === 'data: [DONE]',
    isFault: (event) => event.startsWith('data: {"error"'),
  },
  vectara: {
    isText: (event) => event.includes('"type":"streaming_agent_output",'),
    isEnd: (event) => event === 'data: {"type":"end"}',
    isFault: (event) => event.includes('"type":"error"'),
  },
};
