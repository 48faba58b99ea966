import { durableFrameId, seqOfFrame, type SessionId } from '@parley/core';

/**
 * What a stream of Vectara events is amid of, as far as the frames to come depend on it: whose text is being streamed,
 * and whether text of this round was voided before.
 */
export interface Amid {
  open: 'text' | 'reasoning' | null;
  restarted: boolean;
}

/** Amid of nothing: before the first frame, and at every stored event. */
export const AMID_NOTHING: Amid = { open: null, restarted: false };

/** A place in what a session shows: a core frame, the how-manieth of the Vectara events made of it, and amid what. */
export interface Place {
  /** Id of the core frame. */
  frame: number;
  sub: number;
  amid: Amid;
}

const PREFIX = 'aev_';
const BYTES = 15;
const ID = /^aev_[0-9A-Za-z_-]{20}$/;
const OPEN: readonly Amid['open'][] = [null, 'text', 'reasoning'];
const MAX_SUB = 2 ** 21 - 1;

/**
 * The ids of one session's events. They are places: 5 bytes of the session's id, so that a foreign one is known; 7 of
 * the frame's; 3 of the sub-event and of what the stream was amid. So the id of every streamed frame, stored or not, is
 * a cursor for `since` and `Last-Event-ID` that needs no table, and a stored event is found by it.
 */
export class EventIds {
  readonly #bytes = Buffer.alloc(BYTES);

  constructor(session: SessionId) {
    this.#bytes.write(session.replaceAll('-', '').slice(0, 10), 'hex');
  }

  /** The id of a place. */
  of({ frame, sub, amid }: Place): string {
    const bytes = this.#bytes;
    bytes.writeUIntBE(Math.floor(frame / 2 ** 32), 5, 3);
    bytes.writeUInt32BE(frame % 2 ** 32, 8);
    const flags = OPEN.indexOf(amid.open) * 2 + Number(amid.restarted);
    bytes.writeUIntBE(flags * (MAX_SUB + 1) + Math.min(sub, MAX_SUB), 12, 3);
    return PREFIX + bytes.toString('base64url');
  }

  /** The id of a stored event. */
  ofStored(seq: number, sub: number): string {
    return this.of({ frame: durableFrameId(seq), sub, amid: AMID_NOTHING });
  }

  /** The place of an id; undefined for what is no id, or is one of another session. */
  placeOf(id: string): Place | undefined {
    if (!ID.test(id)) return undefined;
    const bytes = Buffer.from(id.slice(PREFIX.length), 'base64url');
    if (bytes.compare(this.#bytes, 0, 5, 0, 5) !== 0) return undefined;
    const frame = bytes.readUIntBE(5, 3) * 2 ** 32 + bytes.readUInt32BE(8);
    const rest = bytes.readUIntBE(12, 3);
    const flags = Math.floor(rest / (MAX_SUB + 1));
    const open = OPEN[Math.floor(flags / 2)];
    if (open === undefined || !Number.isSafeInteger(frame)) return undefined;
    return { frame, sub: rest % (MAX_SUB + 1), amid: { open, restarted: flags % 2 === 1 } };
  }

  /** Where the stored event of an id stands; undefined also for the id of a frame that is not stored. */
  storedAt(id: string): { seq: number; sub: number } | undefined {
    const place = this.placeOf(id);
    if (!place || place.frame !== durableFrameId(seqOfFrame(place.frame))) return undefined;
    return id === this.ofStored(seqOfFrame(place.frame), place.sub)
      ? { seq: seqOfFrame(place.frame), sub: place.sub }
      : undefined;
  }
}
