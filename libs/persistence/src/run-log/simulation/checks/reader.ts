import { durableFrameId, framesOf, seqOfFrame, textOf, type Event, type Frame, type FrameBatch } from '@parley/core';
import { read } from '../../reference/reading.js';
import { type SessionRef } from '../../run-log.js';
import { must } from '../broken.js';
import { type World } from '../world.js';

/** A client that follows a session: hears what is published, loses some of it, and reads from the log what it missed. */
export class Reader {
  private readonly coming: FrameBatch[] = [];
  /** Id of the last frame that it took. */
  private last = 0;
  /** Live text since the last event, by part. */
  private readonly shown = new Map<number, string>();
  /** No live frame since the last event is missing. */
  private whole = true;

  constructor(
    private readonly world: World,
    private readonly ref: SessionRef,
  ) {}

  /** Batches arrive in order, late, or not at all. */
  hear(batch: FrameBatch): void {
    if (this.world.calm || !this.world.random.chance(0.1)) this.coming.push(batch);
  }

  /** Takes the next batch that has arrived. */
  takeNext(): void {
    const batch = this.coming.shift();
    if (!batch) return;
    if (batch.after > this.last) this.readMissed();
    for (const frame of batch.frames) this.take(frame);
  }

  /** Takes all that there is; from then on it knows the whole log. */
  takeAll(): void {
    while (this.coming.length > 0) this.takeNext();
    this.readMissed();
    must(this.last === durableFrameId(this.log().length), 'a reader that read all does not know the last event');
  }

  private readMissed(): void {
    for (const event of this.log().slice(seqOfFrame(this.last))) for (const frame of framesOf(event)) this.take(frame);
  }

  private log(): Event[] {
    return read(this.world.tables, this.ref, { after: 0, limit: Infinity })?.events ?? [];
  }

  private take(frame: Frame): void {
    if (frame.id <= this.last) return;
    if (frame.kind === 'delta') {
      this.whole &&= frame.id === this.last + 1;
      this.shown.set(frame.part, (this.shown.get(frame.part) ?? '') + frame.text);
    } else {
      must(frame.event.seq === seqOfFrame(this.last) + 1, 'a reader was given an event before the one before it');
      this.compare(frame.event);
      this.shown.clear();
      this.whole = true;
    }
    this.last = frame.id;
  }

  /** What was shown live is what the event says, to the letter. */
  private compare({ body, live }: Event): void {
    if (body.kind !== 'model_replied' || live === null || !this.whole) return;
    body.parts.forEach((part, index) => {
      const words = textOf(part);
      if (words === null) return;
      must((this.shown.get(index) ?? '') === words, 'a reader was shown other words than the log holds');
    });
  }
}

/** @throws Broken unless the frames of a log rise from the first to the last, whoever reads them whenever. */
export const checkReplay = (log: readonly Event[]): void => {
  let last = 0;
  for (const { id } of log.flatMap(framesOf)) {
    must(id > last, 'the ids of replayed frames do not rise');
    last = id;
  }
};
