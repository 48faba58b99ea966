import { type StreamedFrame } from '@parley/testing';
import { type AgentEvent } from './wire.js';

/** What a client that folds a stream has in the end: the stored events, and those of the text that was streamed. */
export const folded = (frames: StreamedFrame[]): AgentEvent[] => {
  const events: StreamedFrame['event'][] = [];
  let text = '';
  for (const { event } of frames) {
    const { type, content, event_id: id, created_at } = event;
    const known = events.findIndex((one) => one['id'] === event['id']);
    if (type === 'streaming_agent_output') text += String(content);
    else if (type === 'streaming_restarted') text = '';
    else if (type === 'streaming_agent_output_end') {
      events.push({ id, session_key: 'session', created_at, type: 'agent_output', content: text });
      text = '';
    } else if (known >= 0 && 'id' in event) events[known] = event;
    else if ('id' in event) events.push(event);
  }
  return events as StreamedFrame['event'][] & AgentEvent[];
};
