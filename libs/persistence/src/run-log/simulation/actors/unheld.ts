import { apply, endingEvents, place, type EventBody, type Fact, type Head, type RunId } from '@parley/core';
import { type Addition, type Posted, type SessionRef, type Situation, type UnheldWrite } from '../../run-log.js';
import { type Actor, type World } from '../world.js';

/** Posts a fact, again if the answer was lost, and does what is the poster's to do. */
export function* tell(world: World, ref: SessionRef, fact: Fact): Generator<void, Posted, void> {
  let answer = world.verbs.post(ref, fact);
  yield;
  while (world.losesAnswer()) {
    answer = world.verbs.post(ref, fact);
    yield;
  }
  if (answer.outcome === 'held') world.nudge(answer.executor, fact.run);
  if (answer.outcome === 'unheld') yield* writeUnheld(world, ref, answer.situation);
  return answer;
}

/** Nobody holds the run, so whoever told it something is its writer, until there is nothing to write or somebody is faster. */
export function* writeUnheld(world: World, ref: SessionRef, found?: Situation): Actor {
  for (let situation = found; ; situation = undefined) {
    if (!situation) {
      situation = world.verbs.look(ref);
      yield;
    }
    const write = situation?.active?.executor === null ? unheldWrite(ref, situation.active.run, situation) : undefined;
    if (!write) return;
    const answer = world.verbs.write(write);
    yield;
    if (answer.outcome !== 'written') continue;
    world.tell({ ...ref, run: write.run }, write, answer.at);
    if (answer.facts.length === 0 || typeof write.then === 'object') return;
  }
}

const unheldWrite = (ref: SessionRef, run: RunId, { head, facts }: Situation): UnheldWrite | undefined => {
  const { cancel, taken, events, left } = place(head, facts);
  const known = { taken: taken.map(({ id }) => id), left: left.map(({ id }) => id) };
  if (cancel && head.run) {
    const end = { state: 'cancelled' as const, ...cancel.body };
    return { ...ref, ...added(head, run, endingEvents(head, head.run, end)), ...known, run, then: { end } };
  }
  if (taken.length === 0) return undefined;
  return { ...ref, ...added(head, run, events), ...known, run, then: events.length > 0 ? 'queue' : 'leave' };
};

/** What a write adds to a log that ends as `head` says. */
export const added = (
  head: Head,
  run: RunId | null,
  events: EventBody[],
): Pick<Addition, 'seq' | 'events' | 'head'> => ({
  seq: head.seq,
  events: events.map((body) => ({ body })),
  head: events.reduce((now, body) => apply(now, { seq: now.seq + 1, run, body }), head),
});
