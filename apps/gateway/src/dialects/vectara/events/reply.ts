import { type BodyOf, type Event } from '@parley/core';
import { type Amid, type EventIds } from '../ids.js';
import { toContextUsage } from '../sessions/map.js';
import { type StoredEvent, subOf } from './map.js';
import { type StreamedEvent } from './wire.js';

/** A streamed event and its place among those of its frame. */
export type Placed = [sub: number, event: StreamedEvent];

/** A model's reply as it is committed, and what its reader has seen of it. */
export interface ShownReply {
  event: Event;
  body: BodyOf<'model_replied'>;
  stored: StoredEvent[];
  amid: Amid;
  ids: EventIds;
}

/**
 * What a stream shows when a reply is committed. Text that was streamed is ended, text that was not is streamed now, as
 * one chunk; `agent_output` itself is streamed only to a reader who may have kept void text of it.
 */
export const showReply = ({ event, body, stored, amid, ids }: ShownReply): Placed[] => {
  const created_at = event.at.toISOString();
  const cut = new Set(event.live?.cuts.map(([, part]) => part));
  const last = body.parts.findLastIndex(({ type }) => type === amid.open);
  const shown: Placed[] = stored.flatMap((one) => (one.event.type === 'agent_output' ? [] : [[one.sub, one.event]]));
  body.parts.forEach((part, index) => {
    const add = (kind: Parameters<typeof subOf>[1], one: StreamedEvent): unknown =>
      shown.push([subOf(index, kind), one]);
    if (part.type === 'reasoning' && index === last) add('end', { type: 'streaming_thinking_end', created_at });
    const output = stored.find(({ sub }) => sub === subOf(index, 'stored'))?.event;
    if (output?.type !== 'agent_output') return;
    const wasStreamed = index === last || (amid.open !== null && cut.has(index));
    if (!wasStreamed) add('chunk', { type: 'streaming_agent_output', content: output.content, created_at });
    if (!wasStreamed || index === last) add('end', endOf(ids.ofStored(event.seq, subOf(index, 'stored')), created_at));
    if (amid.restarted || (wasStreamed && !cut.has(index))) add('stored', output);
  });
  const usage = toContextUsage(body.usage);
  shown.push([
    subOf(body.parts.length, 'chunk'),
    { type: 'context_consumed', session_context_usage: usage, created_at },
  ]);
  return shown;
};

const endOf = (event_id: string, created_at: string): StreamedEvent => ({
  type: 'streaming_agent_output_end',
  event_id,
  created_at,
});
