import { durableFrameId, type Event, type Frame, type RunId, type SessionId, type TenantId } from '@parley/core';
import { type Frames } from '@parley/messaging';

/** Publishes a run's frames, each batch with the id of the frame before it, so that a reader sees what it missed. */
export class RunFrames {
  #last: number;

  /** @param seq the session's last event, whose frame somebody else published. */
  constructor(
    private readonly frames: Frames,
    private readonly address: { tenant: TenantId; session: SessionId; run: RunId },
    seq: number,
  ) {
    this.#last = durableFrameId(seq);
  }

  publish(frames: Frame[]): void {
    const last = frames.at(-1);
    if (!last) return;
    const { tenant, session, run } = this.address;
    this.frames.publish({ tenant, session, run, after: this.#last, frames });
    this.#last = last.id;
  }

  /** The frames of events that have just been committed. */
  publishEvents(events: Event[]): void {
    this.publish(events.map((event) => ({ kind: 'event', id: durableFrameId(event.seq), run: event.run, event })));
  }
}
