import { endingEvents, place, type Ending, type EventBody, type Fact, type FactId, type NewEvent } from '@parley/core';
import { addition } from './plan.contract.js';
import { type Side } from './side.contract.js';
import { type StepOf } from './steps.contract.js';

export const bodies = (events: EventBody[]): NewEvent[] => events.map((body) => ({ body }));

export const idsOf = (facts: Fact[]): FactId[] => facts.map(({ id }) => id);

export const write = async (side: Side, step: StepOf<'write'>): Promise<unknown> => {
  const { log } = side.subject;
  const ref = side.refOf(step);
  const situation = await log.look(ref);
  if (situation === undefined) return undefined;
  const { head, active } = situation;
  const run = active?.run ?? null;
  const from = { head, run, behind: step.behind };
  if (active === null) {
    const restored = { spans: [], usage: null };
    const forgetting = addition(from, [{ body: { kind: 'rewound', to: 0, restored } }], { taken: [], left: [] });
    return log.write({ ...ref, ...forgetting, run, then: 'leave' });
  }
  const { cancel, ...placed } = place(head, step.deaf ? [] : situation.facts);
  if (head.run && (cancel || step.then === 'end')) {
    const end: Ending = { state: 'cancelled', reason: cancel?.body.reason ?? null, rewind: step.rewind };
    const taken = cancel ? [cancel.id] : [];
    const ending = addition(from, bodies(endingEvents(head, head.run, end)), { taken, left: [] });
    return log.write({ ...ref, ...ending, run, then: { end } });
  }
  const goingOn = addition(from, bodies(placed.events), { taken: idsOf(placed.taken), left: idsOf(placed.left) });
  return log.write({ ...ref, ...goingOn, run, then: step.then === 'leave' ? 'leave' : 'queue' });
};

export const takeOver = async (side: Side, step: StepOf<'takeOver'>): Promise<unknown> => {
  const { log } = side.subject;
  const ref = side.refOf(step);
  const situation = await log.look(ref);
  if (!situation?.active || !situation.head.run) return undefined;
  const { head, facts, active } = situation;
  const end: Ending = { state: 'cancelled', reason: 'asked_for', rewind: step.rewind };
  const cancels = facts.filter(({ body }) => body.kind === 'cancel').slice(0, 1);
  const from = { head, run: active.run, behind: step.behind };
  const ending = bodies(endingEvents(head, situation.head.run, end));
  const epoch = active.epoch - step.stale;
  const write = addition(from, ending, { taken: idsOf(cancels), left: [] });
  return log.takeOver({ ...ref, ...write, run: active.run, epoch, end });
};
