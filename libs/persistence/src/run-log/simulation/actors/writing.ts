import { endingEvents, place, type Ending, type EventBody, type FactId, type NewEvent } from '@parley/core';
import { type Addition, type Parking, type Written } from '../../run-log.js';
import { must } from '../broken.js';
import { type Hand } from './hand.js';

/** What a holder knows after a write: it is in the log, it was refused and why, or only that the run is still ours. */
export type Result = 'written' | 'unread' | 'over' | 'resynced';
type Writing = Generator<void, Result, void>;

export const bodies = (events: EventBody[]): NewEvent[] => events.map((body) => ({ body }));

export function* append(hand: Hand, events: NewEvent[], taken: FactId[] = []): Writing {
  return yield* send(hand, addition(hand, events, taken), (write) => hand.world.verbs.append(hand.held, write));
}

/** Gives the run back; nobody is told what was shown of a reply that will not come. */
export function* release(hand: Hand): Writing {
  const write = addition(hand, bodies(hand.voiding), []);
  const result = yield* send(hand, write, (again) => hand.world.verbs.release(hand.held, again));
  return result === 'written' ? 'over' : result;
}

export function* park(hand: Hand, events: NewEvent[], parking: Parking): Writing {
  const write = addition(hand, events, []);
  const result = yield* send(hand, write, (again) => hand.world.verbs.park(hand.held, again, parking));
  return result === 'written' ? 'over' : result;
}

/** Settles what is open and ends the run, with `last` before. */
export function* finish(
  hand: Hand,
  end: Ending,
  { taken = [], last = [] }: { taken?: FactId[]; last?: NewEvent[] },
): Writing {
  const { head } = hand.addition(last, { taken: [], left: [] });
  const ending = head.run ? bodies(endingEvents(head, head.run, end)) : [];
  const write = addition(hand, [...last, ...ending], taken);
  const result = yield* send(hand, write, (again) => hand.world.verbs.finish(hand.held, again, end));
  return result === 'written' ? 'over' : result;
}

/** A write that leaves only what the log cannot take behind it: what it can, the run may neither end nor rest before. */
const addition = (hand: Hand, events: NewEvent[], taken: FactId[]): Addition => {
  const { head } = hand.addition(events, { taken, left: [] });
  const others = hand.facts.filter(({ id }) => !taken.includes(id));
  const left = head.run ? place(head, others).left : others;
  return hand.addition(events, { taken, left: left.map(({ id }) => id) });
};

function* send(hand: Hand, write: Addition, call: (write: Addition) => Written): Writing {
  const { world } = hand;
  if (world.losesAnswer()) return yield* resync(hand); // it never got there
  const answer = call(write);
  yield;
  if (world.losesAnswer()) return yield* resync(hand);
  hand.learn(write, answer);
  must(answer.outcome !== 'moved', 'the log moved on under its one writer');
  return answer.outcome === 'fenced' ? 'over' : answer.outcome;
}

/** Nobody knows what became of a write: look whether the run is still ours, and how far the log is. */
function* resync(hand: Hand): Writing {
  const { world, held } = hand;
  yield;
  const situation = world.verbs.look(held);
  yield;
  const active = situation?.active;
  const ours = active?.run === held.run && active.executor === held.executor && active.epoch === held.epoch;
  if (!situation || !ours) return 'over';
  const page = world.verbs.read(held, { after: 0, limit: 1_000 });
  yield;
  hand.catchUp(
    situation.head,
    (page?.events ?? []).filter(({ seq }) => seq <= situation.head.seq),
  );
  hand.facts = situation.facts;
  return 'resynced';
}

/** Reads what somebody said is there. */
export function* readInbox(hand: Hand): Generator<void, void, void> {
  hand.nudged = false;
  const situation = hand.world.verbs.look(hand.held);
  yield;
  if (situation?.active?.run === hand.held.run) hand.hear(situation.facts);
}

/** Reads the log as far as the hand's head says. */
export function* readLog(hand: Hand): Generator<void, void, void> {
  const page = hand.world.verbs.read(hand.held, { after: 0, limit: 1_000 });
  yield;
  hand.log = (page?.events ?? []).filter(({ seq }) => seq <= hand.head.seq);
}
