import { Injectable, Logger } from '@nestjs/common';
import { runNudged } from '@parley/contracts';
import { durableFrameId, framesOf, type Event, type RunId } from '@parley/core';
import { Bus, Frames, Permits } from '@parley/messaging';
import { type Addition, type ExecutorId, type Promoted, type SessionRef } from '@parley/persistence';

/** What a write committed. */
export interface Committed {
  at: Date;
  promoted: Promoted | null;
}

/** Tells others what this process has committed: frames to readers, permits and nudges to executors. All of it is a hint. */
@Injectable()
export class Announcer {
  readonly #logger = new Logger(Announcer.name);

  constructor(
    private readonly bus: Bus,
    private readonly frames: Frames,
    private readonly permits: Permits,
  ) {}

  /** Events of the run that has the turn, and the run that got it by this write. */
  wrote(ref: SessionRef, run: RunId, { seq, events }: Addition, { at, promoted }: Committed): void {
    const appended = events.map(({ body }, index) => ({ seq: seq + 1 + index, run, at, body, live: null, hidden: [] }));
    this.#publish(ref, run, appended);
    if (!promoted) return;
    this.began(ref, { ...promoted, at });
    this.ring();
  }

  /** A run has got the turn: its input is in the log. */
  began(ref: SessionRef, { run, seq, parts, at }: Promoted & { at: Date }): void {
    this.#publish(ref, run, [{ seq, run, at, body: { kind: 'input', parts }, live: null, hidden: [] }]);
  }

  /** A run is queued. */
  ring(): void {
    this.permits.add(1).catch((error: unknown) => this.#logger.warn({ err: error }, 'a permit was lost'));
  }

  /** A run that this executor holds has an unread fact. */
  nudge(ref: SessionRef, run: RunId, executor: ExecutorId): void {
    const { tenant, session } = ref;
    this.bus.publish(runNudged, { executor }, { executor, tenant, session, run });
  }

  #publish({ tenant, session }: SessionRef, run: RunId, events: Event[]): void {
    const [first] = events;
    if (!first) return;
    const after = durableFrameId(first.seq - 1);
    this.frames.publish({ tenant, session, run, after, frames: events.flatMap(framesOf) });
  }
}
