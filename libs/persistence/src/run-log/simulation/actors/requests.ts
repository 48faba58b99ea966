import {
  apply,
  EMPTY_HEAD,
  FactId,
  fold,
  hasOpenAsk,
  hasOpenCall,
  partsOf,
  InterruptId,
  restorable,
  RunId,
  type CallId,
  type EventBody,
  type FactBody,
  type Head,
} from '@parley/core';
import { type Admission, type SessionRef } from '../../run-log.js';
import { type Actor, type World } from '../world.js';
import { takeOver, tell, writeUnheld } from './unheld.js';

/** How long a canceller waits for the holder to end the run itself. */
const PATIENCE_MS = 1_000;

/** Wants a run, by any policy; asks again with the same id when the answer was lost. */
export function* admitRun(world: World, ref: SessionRef): Actor {
  const { random } = world;
  const process = random.chance(0.3) ? random.pickOrNone(world.processes) : undefined;
  const admission: Admission = {
    ...ref,
    id: RunId.parse(world.uuid()),
    agent: world.agent,
    version: 1,
    parts: [{ type: 'text', text: world.words(), origin: 'user' }],
    budget: { rounds: 2 + random.below(4), wallMs: random.pick([20_000, 600_000, 7_200_000]) },
    whenBusy: random.pick(['reject', 'defer', 'defer', 'steer', 'interrupt', 'rollback']),
    whenWaiting: random.pick(['reject', 'defer', 'supersede']),
    executor: process?.executor ?? undefined,
  };
  let answer = world.verbs.admit(admission);
  yield;
  while (world.losesAnswer()) {
    answer = world.verbs.admit(admission);
    yield;
  }
  if (answer.outcome === 'queued' && answer.claimed) {
    if (process?.executor === admission.executor) process?.take(answer.claimed);
    return;
  }
  if ((answer.outcome === 'deferred' || answer.outcome === 'steered') && answer.unheld) yield* writeUnheld(world, ref);
}

/** Says something to the run that has the turn. */
export function* steer(world: World, ref: SessionRef): Actor {
  const parts = [{ type: 'text' as const, text: world.words(), origin: 'user' as const }];
  yield* tellActive(world, ref, () => ({ kind: 'steer', parts }));
}

/** Answers a question that was open when it looked, in any of the ways there are. */
export function* answer(world: World, ref: SessionRef): Actor {
  yield* tellActive(world, ref, (head) => {
    const [id, open] = world.random.pickOrNone(Object.entries(head.asks)) ?? [];
    if (id === undefined || open === undefined) return undefined;
    const outcome = open.ask === 'approval' ? world.random.pick(['approved', 'denied'] as const) : 'answered';
    const interrupt = InterruptId.parse(world.random.chance(0.2) ? world.uuid() : id); // or one that is closed by now
    return { kind: 'answer', interrupt, outcome, parts: [] };
  });
}

function* tellActive(world: World, ref: SessionRef, body: (head: Head) => FactBody | undefined): Actor {
  const situation = world.verbs.look(ref);
  yield;
  const what = situation && body(situation.head);
  if (!situation?.active || !what) return;
  yield* tell(world, ref, { id: FactId.parse(world.uuid()), run: situation.active.run, body: what });
}

/** Tells a run that its child has finished; does not rest until the store knows. */
export function* finishChild(world: World, call: CallId): Actor {
  const child = world.children.get(call);
  if (!child || child.told) return;
  const body: FactBody = { kind: 'child_finished', call, outcome: 'result', parts: [] };
  yield* tell(world, child.ref, { id: FactId.parse(world.uuid()), run: child.run, body });
  child.told = true;
}

/** Cancels a run of the session, whatever its state; takes it over when its holder does not react. */
export function* cancel(world: World, ref: SessionRef): Actor {
  const run = world.random.pickOrNone(world.tables.session(ref)?.runs ?? []);
  if (!run) return;
  const body = { kind: 'cancel', reason: 'asked_for', rewind: world.random.chance(0.3) } as const;
  const fact = { id: FactId.parse(world.uuid()), run: run.id, body };
  const posted = yield* tell(world, ref, fact);
  if (posted.outcome !== 'held') return;
  for (const since = world.time; world.time < since + PATIENCE_MS;) yield;
  yield* writeUnheld(world, ref); // nobody holds it any more
  yield* takeOver(world, ref, run.id);
}

/** Hides, shows or erases a part that it has read of, maybe long ago. */
export function* edit(world: World, ref: SessionRef): Actor {
  const page = world.verbs.read(ref, { after: 0, limit: 1_000 });
  yield;
  const event = world.random.pickOrNone((page?.events ?? []).filter(({ body }) => 'parts' in body));
  if (!event) return;
  const part = world.random.below(Math.max(1, partsOf(event.body).length));
  const how = world.random.pick(['hide', 'hide', 'unhide', 'erase'] as const);
  world.verbs[how]({ ...ref, parts: [{ seq: event.seq, part }] });
}

/** Takes an idle session back to where no call was open. */
export function* rewind(world: World, ref: SessionRef): Actor {
  const page = world.verbs.read(ref, { after: 0, limit: 1_000 });
  yield;
  if (!page || page.active) return;
  const to = world.random.below(page.events.length + 1);
  const then = fold(page.events.slice(0, to), EMPTY_HEAD);
  if (hasOpenCall(then) || hasOpenAsk(then)) return;
  const body: EventBody = { kind: 'rewound', to, restored: restorable(then) };
  const head = apply(page.head, { seq: page.head.seq + 1, run: null, body });
  const write = { seq: page.head.seq, events: [{ body }], head, taken: [], left: [] };
  world.verbs.write({ ...ref, ...write, run: null, then: 'leave' });
}
