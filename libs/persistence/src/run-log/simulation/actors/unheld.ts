import { endingEvents, place, type Fact, type RunId } from '@parley/core';
import { additionOf } from '../../addition.js';
import { type Posted, type SessionRef, type Situation, type UnheldWrite } from '../../run-log.js';
import { takingOver } from '../../taking-over.js';
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
  if (cancel && head.run) {
    const end = { state: 'cancelled' as const, ...cancel.body };
    const ending = endingEvents(head, head.run, end);
    return { ...ref, ...additionOf(head, { run, events: ending, taken, left }), run, then: { end } };
  }
  if (taken.length === 0) return undefined;
  const then = events.length > 0 ? 'queue' : 'leave';
  return { ...ref, ...additionOf(head, { run, events, taken, left }), run, then };
};

/** Ends a run over its holder's head, as long as its cancel is unread. */
export function* takeOver(world: World, ref: SessionRef, run: RunId): Actor {
  for (;;) {
    const situation = world.verbs.look(ref);
    yield;
    const taking = situation && takingOver(ref, situation);
    if (taking?.run !== run) return;
    const answer = world.verbs.takeOver(taking);
    yield;
    if (answer.outcome === 'written') world.tell({ ...ref, run }, taking, answer.at);
  }
}
