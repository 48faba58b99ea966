import { type DeltaFrame, durableFrameId, type Event, type Frame, seqOfFrame } from '@parley/core';
import { type EventSetting, type StoredEvent, storedEvents, subOf } from './events/map.js';
import { type Placed, showReply } from './events/reply.js';
import { type StreamedEvent } from './events/wire.js';
import { type Amid, AMID_NOTHING, type Place } from './ids.js';

/** What a stream is amid of, and the last event that went by; from it follows all that the next frame is shown as. */
export interface StreamState {
  amid: Amid;
  before: Event | null;
}

/** Where a stream begins: at the start, or behind what a client has had. */
export interface Resumption {
  /** The last core frame that need not be read. */
  after: number;
  amid: Amid;
  /** What has been shown of the next frame. */
  skip: { frame: number; sub: number } | null;
}

/** A stream from its beginning. */
export const FROM_START: Resumption = { after: 0, amid: AMID_NOTHING, skip: null };

/** A Vectara event to be streamed, and the place that its id names. */
export interface Shown {
  place: Place;
  event: StreamedEvent;
}

/** Places of what comes of a piece of text: the end of what was streamed before it, then itself. */
const DELTA = { end: 0, chunk: 1 } as const;

/** The rest of a stream whose last id was that of `place`. */
export const resumeAt = ({ frame, sub, amid }: Place): Resumption => {
  const isWhole = frame !== durableFrameId(seqOfFrame(frame)) && sub === DELTA.chunk;
  return isWhole ? { after: frame, amid, skip: null } : { after: frame - 1, amid, skip: { frame, sub } };
};

/**
 * The Vectara events that a frame is shown as. Pure: frames in the same order, from the same state, are shown alike,
 * whether live or replayed, so a client that comes back goes on where it was.
 */
export const showFrame = (
  frame: Frame,
  state: StreamState,
  setting: EventSetting,
): { shown: Shown[]; state: StreamState } =>
  frame.kind === 'delta' ? showDelta(frame, state) : showEvent(frame.event, frame.id, state, setting);

/** A chunk is told with the time of the event it follows: that is the same for everybody and for ever. */
const showDelta = (frame: DeltaFrame, { amid, before }: StreamState): { shown: Shown[]; state: StreamState } => {
  const created_at = (before?.at ?? new Date(0)).toISOString();
  const next: Amid = { open: frame.type, restarted: amid.restarted };
  const chunk = { type: CHUNKS[frame.type], content: frame.text, created_at };
  const shown: Shown[] = [{ place: { frame: frame.id, sub: DELTA.chunk, amid: next }, event: chunk }];
  if (amid.open !== null && amid.open !== frame.type) {
    const place = { frame: frame.id, sub: DELTA.end, amid };
    shown.unshift({ place, event: { type: ENDS[amid.open], created_at } });
  }
  return { shown, state: { amid: next, before } };
};

const CHUNKS = { text: 'streaming_agent_output', reasoning: 'streaming_thinking' } as const;
const ENDS = { text: 'streaming_agent_output_end', reasoning: 'streaming_thinking_end' } as const;

const showEvent = (event: Event, frame: number, { amid, before }: StreamState, setting: EventSetting) => {
  const after = amidAfter(event, amid);
  // What a reply is shown as depends on what was before it; an event that ends all that must not tell what it ended.
  const told = event.body.kind === 'model_replied' ? amid : after;
  const shown = eventsOf(event, amid, storedEvents(event, before, setting), setting)
    .sort(([a], [b]) => a - b)
    .map(([sub, one]): Shown => ({ place: { frame, sub, amid: told }, event: one }));
  return { shown, state: { amid: after, before: event } };
};

const eventsOf = (event: Event, amid: Amid, stored: StoredEvent[], { ids }: EventSetting): Placed[] => {
  const { body } = event;
  if (body.kind === 'model_replied') return showReply({ event, body, stored, amid, ids });
  const shown = stored.map((one): Placed => [one.sub, one.event]);
  if (body.kind !== 'restarted') return shown;
  return [[subOf(0, 'chunk'), { type: 'streaming_restarted', created_at: event.at.toISOString() }]];
};

const amidAfter = ({ body }: Event, amid: Amid): Amid => {
  if (body.kind === 'restarted') return { open: null, restarted: true };
  return body.kind === 'model_replied' || body.kind === 'run_ended' ? AMID_NOTHING : amid;
};
