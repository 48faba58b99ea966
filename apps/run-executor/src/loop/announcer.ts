import { Injectable, Logger } from '@nestjs/common';
import { type Event, type EventBody, type FrameBatch } from '@parley/core';
import { Frames, Permits } from '@parley/messaging';
import {
  type ClaimedRun,
  type Promoted,
  type Reclaimed,
  type SessionRef,
  type TakeOver,
  type Written,
} from '@parley/persistence';
import { RunFrames } from './run-frames.js';

/** Tells others what this process has committed: frames to readers, permits to executors. All of it is a hint. */
@Injectable()
export class Announcer {
  readonly #logger = new Logger(Announcer.name);

  constructor(
    private readonly frames: Frames,
    private readonly permits: Permits,
  ) {}

  /** The frames of a run that this process has just got. */
  framesOf(claimed: ClaimedRun): RunFrames {
    return new RunFrames(this.frames, claimed, claimed.head.seq);
  }

  /** What a child of this process shows of its run. */
  forward(batch: FrameBatch): void {
    this.frames.publish(batch);
  }

  /** Rings for runs that are queued again, or that are due at that time. */
  ring(count: number, dueAt?: Date): void {
    if (count === 0) return;
    this.permits.add(count, dueAt).catch((error: unknown) => this.#logger.warn({ err: error }, 'a permit was lost'));
  }

  /** A run got the turn of its session by the write that ended the one before it, and so its input is in the log. */
  promoted(ref: SessionRef, { run, seq, parts }: Promoted, at: Date): void {
    this.ring(1);
    this.#publish(ref, { seq, run, at, body: { kind: 'input', parts } });
  }

  /** A run was ended over its holder's head. */
  tookOver({ tenant, session, run, seq, events }: TakeOver, { at, promoted }: Committed): void {
    const frames = new RunFrames(this.frames, { tenant, session, run }, seq);
    frames.publishEvents(events.map(({ body }, n) => ({ seq: seq + 1 + n, run, at, body, live: null, hidden: [] })));
    if (promoted) this.promoted({ tenant, session }, promoted, at);
  }

  /** Runs were taken from executors that are dead; what those showed live is void. */
  reclaimed(runs: readonly Reclaimed[]): void {
    this.ring(runs.length);
    for (const { run, restarted, ...ref } of runs) {
      const { seq, at, round } = restarted;
      this.#publish(ref, { seq, run, at, body: { kind: 'restarted', round } });
    }
  }

  #publish({ tenant, session }: SessionRef, { run, ...event }: Announced): void {
    const frames = new RunFrames(this.frames, { tenant, session, run }, event.seq - 1);
    frames.publishEvents([{ ...event, run, live: null, hidden: [] }]);
  }
}

/** A write that was done. */
type Committed = Pick<Extract<Written, { outcome: 'written' }>, 'at' | 'promoted'>;

interface Announced extends Pick<Event, 'seq' | 'at'> {
  run: Promoted['run'];
  body: EventBody;
}
