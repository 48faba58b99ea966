import { type Frame, type WireEvent } from './wire.js';

/** Frames that are streamed and never listed. */
const PASSING = /^(streaming_|context_consumed$|end$)/;

/**
 * The events that a client ends up with when it keeps what it is streamed: text is gathered until its end says of which
 * event it was, text before a `streaming_restarted` is thrown away, an `agent_output` that is sent whole stands for what
 * was gathered of it. Written from the API's description alone; it has to equal the list of events.
 */
export function fold(frames: readonly Frame[], sessionKey: string): WireEvent[] {
  const events: WireEvent[] = [];
  let text = '';
  for (const { event } of frames) {
    if (event.type === 'streaming_restarted') text = '';
    else if (event.type === 'streaming_agent_output') text += event.content ?? '';
    else if (event.type === 'streaming_agent_output_end') {
      if (event.event_id !== undefined) events.push(gathered(event, text, sessionKey));
      text = '';
    } else if (!PASSING.test(event.type)) put(events, event);
  }
  return events;
}

function gathered({ event_id, created_at }: WireEvent, content: string, session_key: string): WireEvent {
  return { id: event_id ?? '', session_key, created_at: created_at ?? '', type: 'agent_output', content };
}

function put(events: WireEvent[], event: WireEvent): void {
  const at = events.findIndex(({ id }) => id === event.id);
  if (at === -1) events.push(event);
  else events[at] = event;
}

/** What a client has been shown, without the text that was void: what a replay from the start shows. */
export function withoutVoid(frames: readonly Frame[]): Frame[] {
  const kept: Frame[] = [];
  for (const frame of frames) {
    if (frame.event.type === 'end') continue;
    if (frame.event.type === 'streaming_restarted') while (isUnconfirmed(kept.at(-1))) kept.pop();
    kept.push(frame);
  }
  return kept;
}

/** Text in the making: nothing has been stored of it when this frame is sent. */
export function isUnconfirmed(frame: Frame | undefined): boolean {
  if (!frame) return false;
  const { type, event_id } = frame.event;
  return /^streaming_(agent_output|thinking)(_end)?$/.test(type) && event_id === undefined;
}
