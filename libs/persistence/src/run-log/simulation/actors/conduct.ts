import { place } from '@parley/core';
import { type Actor } from '../world.js';
import { decide, settled, type Action } from './decide.js';
import { type Hand } from './hand.js';
import { askModel } from './model.js';
import { type Process } from './process.js';
import { append, bodies, finish, park, readInbox, readLog, release, type Result } from './writing.js';

/** One run in the hands of an executor: place what was said, decide, act, record, until it ends, rests or is lost. */
export function* conduct(process: Process, hand: Hand): Actor {
  yield* readLog(hand);
  while ((yield* turn(process, hand)) !== 'over');
}

function* turn(process: Process, hand: Hand): Generator<void, Result, void> {
  if (hand.nudged) yield* readInbox(hand);
  const { cancel, taken, events } = place(hand.head, hand.facts);
  const void_ = bodies(hand.voiding);
  if (cancel) return yield* finish(hand, { state: 'cancelled', ...cancel.body }, { taken: [cancel.id], last: void_ });
  if (process.stopping) return yield* release(hand);
  if (void_.length > 0 || taken.length > 0) {
    const result = yield* append(
      hand,
      [...void_, ...bodies(events)],
      taken.map(({ id }) => id),
    );
    if (taken.some(({ body }) => body.kind === 'patch')) yield* readLog(hand);
    return result;
  }
  return yield* act(process, hand, decide(hand, hand.world.now));
}

function* act(process: Process, hand: Hand, action: Action): Generator<void, Result, void> {
  switch (action.do) {
    case 'end':
      return yield* finish(hand, action.end, {});
    case 'record':
      return yield* append(hand, bodies(action.events));
    case 'rest':
      for (const call of action.children) hand.world.startChild(call, hand.held);
      return yield* park(hand, [], action);
    case 'call':
      return yield* callTool(process, hand, action);
    case 'ask the model':
      return yield* askModel(process, hand);
  }
}

/** A call that must not be made twice is made only right behind the commit that says so. */
function* callTool(
  process: Process,
  hand: Hand,
  { call, once }: Action & { do: 'call' },
): Generator<void, Result, void> {
  if (once) {
    const dispatched = yield* append(hand, [{ body: { kind: 'call_dispatched', call } }]);
    if (dispatched !== 'written') return dispatched;
  }
  if (!(yield* process.isFresh(hand))) return 'over';
  hand.world.witness.holders.acts(hand.held, { call, once });
  hand.world.note(`${process.name} makes the call ${call}`);
  yield;
  return yield* append(hand, bodies([settled(call, 'result')]));
}
