import {
  apply,
  type Event,
  type EventBody,
  type FactId,
  type Head,
  type Live,
  type NewEvent,
  type RunId,
} from '@parley/core';
import { type Addition } from '@parley/persistence';

/** What a run is about to write: events after the log's last one, with the head that they lead to. */
export class Draft {
  readonly #events: NewEvent[] = [];
  readonly #taken: FactId[] = [];
  #head: Head;

  /** @param committed the head of the log as it stands. */
  constructor(
    private readonly run: RunId,
    readonly committed: Head,
  ) {
    this.#head = committed;
  }

  get head(): Head {
    return this.#head;
  }

  /** True while there is nothing to write. */
  get isEmpty(): boolean {
    return this.#events.length === 0 && this.#taken.length === 0;
  }

  /** @returns the sequence number that the event will have. */
  add(body: EventBody, live?: Live): number {
    const seq = this.#head.seq + 1;
    this.#head = apply(this.#head, { seq, run: this.run, body });
    this.#events.push(live ? { body, live } : { body });
    return seq;
  }

  /** These facts leave the inbox with this write. */
  take(facts: readonly FactId[]): void {
    this.#taken.push(...facts);
  }

  /** This draft with more at its end; itself it stays as it is. */
  with(bodies: readonly EventBody[]): Draft {
    const longer = new Draft(this.run, this.committed);
    for (const { body, live } of this.#events) longer.add(body, live);
    for (const body of bodies) longer.add(body);
    longer.take(this.#taken);
    return longer;
  }

  addition(left: readonly FactId[]): Addition {
    return { seq: this.committed.seq, events: this.#events, head: this.#head, taken: this.#taken, left: [...left] };
  }

  /** The events as the log holds them, committed at `at`. */
  eventsAt(at: Date): Event[] {
    const first = this.committed.seq + 1;
    return this.#events.map(({ body, live }, index) => {
      return { seq: first + index, run: this.run, at, body, live: live ?? null, hidden: [] };
    });
  }
}
