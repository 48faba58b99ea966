/** An event of the Vectara Agents API, as far as a scenario looks into it. */
export interface WireEvent {
  type: string;
  id?: string;
  session_key?: string;
  created_at?: string;
  content?: string;
  /** Of `streaming_agent_output_end`: the `agent_output` that was streamed. */
  event_id?: string;
  messages?: ({ type: 'text'; content: string } | string)[];
}

/** A frame of a stream: what it says, and how it says it. */
export interface Frame {
  id: string | null;
  event: WireEvent;
  data: string;
}

/** Any answer, with the time that it took from the request to its last byte. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  ms: number;
}

/** A session by its two keys. */
export interface SessionKeys {
  agent: string;
  session: string;
}

/** The words of an `input_message`, one string for each of its messages. */
export const wordsOf = ({ messages = [] }: WireEvent): string[] =>
  messages.map((message) => (typeof message === 'string' ? message : message.content));
