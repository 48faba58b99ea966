import {
  apply,
  durableFrameId,
  type Event,
  type EventBody,
  type EventFrame,
  type Fact,
  type FactId,
  type Frame,
  type Head,
  type Live,
  type NewEvent,
} from '@parley/core';
import { type Addition, type ClaimedRun, type ExecutorId, type Held, type Written } from '../../run-log.js';
import { type World } from '../world.js';

/** All that an executor has in memory of a run that it holds. Gone when it dies. */
export class Hand {
  readonly held: Held;
  head: Head;
  facts: Fact[];
  log: Event[] = [];
  readonly startedAt: Date;
  readonly budget: ClaimedRun['budget'];
  /** Somebody said that the inbox has something. */
  nudged = false;
  /** How the words of the reply in the making were shown. */
  private cuts: Live['cuts'] = [];
  /** Id of the last frame that was published. */
  private published: number;

  constructor(
    readonly world: World,
    claimed: ClaimedRun,
    executor: ExecutorId,
  ) {
    const { tenant, session, run, epoch, head, facts, budget, startedAt } = claimed;
    this.held = { tenant, session, run, executor, epoch };
    this.head = head;
    this.facts = facts;
    this.budget = budget;
    this.startedAt = startedAt;
    this.published = durableFrameId(head.seq);
  }

  /** True when words were shown that no event holds yet. */
  get hasShown(): boolean {
    return this.cuts.length > 0;
  }

  get live(): Live {
    return { after: this.head.seq, cuts: this.cuts };
  }

  /** Shows a piece of the reply in the making. */
  show(part: number, text: string): void {
    this.cuts.push([this.cuts.length + 1, part, text.length]);
    const id = durableFrameId(this.head.seq) + this.cuts.length;
    this.publish([{ kind: 'delta', id, run: this.held.run, part, type: 'text', text }]);
  }

  /** The events that say that what was shown is void. */
  get voiding(): EventBody[] {
    return this.hasShown ? [{ kind: 'restarted', round: (this.head.run?.rounds ?? 0) + 1 }] : [];
  }

  addition(events: NewEvent[], { taken, left }: { taken: FactId[]; left: FactId[] }): Addition {
    const { run } = this.held;
    const head = events.reduce((now, { body }) => apply(now, { seq: now.seq + 1, run, body }), this.head);
    return { seq: this.head.seq, events, head, taken, left };
  }

  /** What the answer to a write tells. */
  learn({ events, head, taken }: Addition, answer: Written): void {
    if (answer.outcome === 'written') {
      this.remember(events, answer.at);
      this.head = head;
      this.cuts = [];
      this.facts = this.facts.filter(({ id }) => !taken.includes(id));
    }
    if ('facts' in answer) this.hear(answer.facts);
  }

  hear(facts: readonly Fact[]): void {
    const known = new Set(this.facts.map(({ id }) => id));
    this.facts = [...this.facts, ...facts.filter(({ id }) => !known.has(id))];
  }

  /**
   * The log is further than this hand knew: what it said last was heard after all. `log`: all of it, since parts may have
   * been hidden meanwhile, a call together with its result.
   */
  catchUp(head: Head, log: Event[]): void {
    if (head.seq === this.head.seq) return;
    this.head = head;
    this.log = log;
    this.cuts = [];
    this.published = durableFrameId(head.seq);
  }

  private remember(events: NewEvent[], at: Date): void {
    const { run } = this.held;
    const made = events.map(({ body, live }, index): Event => {
      return { seq: this.head.seq + 1 + index, run, at, body, live: live ?? null, hidden: [] };
    });
    this.log.push(...made);
    this.publish(made.map((event): EventFrame => ({ kind: 'event', id: durableFrameId(event.seq), run, event })));
  }

  private publish(frames: Frame[]): void {
    const last = frames.at(-1);
    if (!last) return;
    const { tenant, session, run } = this.held;
    this.world.publish({ tenant, session, run, after: this.published, frames });
    this.published = last.id;
  }
}
