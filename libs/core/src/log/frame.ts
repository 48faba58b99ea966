import { type RunId, type SessionId, type TenantId } from '../ids.js';
import { type Event } from './event.js';

/** Frame ids leave this much room for live frames between two events. */
export const FRAMES_PER_EVENT = 2 ** 20;

/** The id of the frame of the event with this sequence number (DESIGN §6). */
export const durableFrameId = (seq: number): number => seq * FRAMES_PER_EVENT;

/** The sequence number of the event that a frame is, or that a live frame follows. */
export const seqOfFrame = (id: number): number => Math.floor(id / FRAMES_PER_EVENT);

/** A piece of text that a model has just said. Not in the log; the event that ends it keeps the cuts. */
export interface DeltaFrame {
  kind: 'delta';
  /** Durable frame id before it + 1, 2, … : rises strictly over attempts, resumes and processes. */
  id: number;
  run: RunId;
  /** Part of the reply in the making that the text belongs to. */
  part: number;
  type: 'text' | 'reasoning';
  text: string;
}

/** An event that was committed. */
export interface EventFrame {
  kind: 'event';
  id: number;
  run: RunId | null;
  event: Event;
}

/** What a stream of a session is made of, in the order of ids. A reader drops ids not greater than its last. */
export type Frame = DeltaFrame | EventFrame;

/** Frames of one run that leave together: all that one event-loop tick brought. */
export interface FrameBatch {
  tenant: TenantId;
  session: SessionId;
  run: RunId;
  /** Id of the last frame that was published before these, so that a reader sees a gap; 0 if none was. */
  after: number;
  frames: Frame[];
}

/** The frames of an event as they were shown live: its text in the same pieces, under the same ids, then itself. */
export const framesOf = (event: Event): Frame[] => {
  const { live, run, body } = event;
  const frames: Frame[] = [];
  if (live && run && body.kind === 'model_replied') {
    const shown = new Map<number, number>();
    for (const [number, part, length] of live.cuts) {
      const from = shown.get(part) ?? 0;
      shown.set(part, from + length);
      const content = body.parts[part];
      if (content?.type !== 'text' && content?.type !== 'reasoning') continue;
      if (content.text === null) continue;
      const text = content.text.slice(from, from + length);
      frames.push({ kind: 'delta', id: durableFrameId(live.after) + number, run, part, type: content.type, text });
    }
  }
  frames.push({ kind: 'event', id: durableFrameId(event.seq), run, event });
  return frames;
};
