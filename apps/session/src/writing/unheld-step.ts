import { endingEvents, hasOpenAsk, hasOpenCall, place, type Head, type RunState } from '@parley/core';
import { additionOf, type Addition, type Situation, type UnheldWrite } from '@parley/persistence';

/** What a poster writes where nobody holds the run that has the turn. */
export interface UnheldStep {
  addition: Addition;
  then: UnheldWrite['then'];
  /** The run's state after it. */
  state: RunState;
}

type Active = NonNullable<Situation['active']>;

/**
 * What the unread facts lead to: a cancel ends the run there and then; anything else is appended as far as it is legal
 * now, and the run is queued if it can go on (DESIGN §7.3).
 */
export const unheldStep = (head: Head, active: Active, facts: Situation['facts']): UnheldStep => {
  const { run } = active;
  const { taken, left, events, cancel } = place(head, facts);
  if (cancel) {
    const { reason, rewind } = cancel.body;
    const end = { state: 'cancelled', reason } as const;
    const ending = head.run ? endingEvents(head, head.run, { ...end, rewind }) : [];
    return { addition: additionOf(head, { run, events: ending, taken, left }), then: { end }, state: 'cancelled' };
  }
  const addition = additionOf(head, { run, events, taken, left });
  if (active.state !== 'waiting' || events.length === 0 || !canGoOn(addition.head, active)) {
    return { addition, then: 'leave', state: active.state };
  }
  return { addition, then: 'queue', state: 'queued' };
};

/** False while somebody else still has to answer or to finish something. */
const canGoOn = (head: Head, { waitingFor }: Active): boolean =>
  !hasOpenAsk(head) && (waitingFor !== 'child' || !hasOpenCall(head));
