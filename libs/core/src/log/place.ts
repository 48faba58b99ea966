import { apply } from './apply.js';
import { type EventBody } from './event.js';
import { type Fact } from './fact.js';
import { hasOpenAsk, hasOpenCall, type Head } from './head.js';

/** What a run's writer does with the unread facts of its inbox: each is taken or left, so the writer has seen it. */
export interface Placement {
  /** Facts that leave the inbox with this append, whether they led to events or came too late to matter. */
  taken: Fact[];
  /** What they led to, in order. */
  events: EventBody[];
  /** Facts that have to wait until the log can take them, or that the end of the run disposes of. */
  left: Fact[];
  /** The run has to end now; no other fact counts any more. */
  cancel: (Fact & { body: { kind: 'cancel' } }) | null;
}

/**
 * Says which facts may enter the log now: answers, ends of children and cancels at once; steers, in their order, when
 * no call or question is open any more; a patch always, since it appends nothing. A cancel overrules whatever else is
 * unread.
 */
export const place = (head: Head, facts: readonly Fact[]): Placement => {
  const cancel = facts.find(isCancel);
  if (cancel) return { taken: [cancel], events: [], left: facts.filter((fact) => fact !== cancel), cancel };
  const placed: Placement = { taken: [], events: [], left: [], cancel: null };
  let now = head;
  for (const fact of [...facts.filter((one) => !isSteer(one)), ...facts.filter(isSteer)]) {
    const events = legalEvents(now, fact);
    if (events === 'later') placed.left.push(fact);
    else {
      placed.taken.push(fact);
      placed.events.push(...events);
      now = events.reduce((h, body) => apply(h, { seq: h.seq + 1, run: fact.run, body }), now);
    }
  }
  return placed;
};

const isCancel = (fact: Fact): fact is Fact & { body: { kind: 'cancel' } } => fact.body.kind === 'cancel';

const isSteer = ({ body }: Fact): boolean => body.kind === 'steer';

const legalEvents = (head: Head, { id, body }: Fact): EventBody[] | 'later' => {
  switch (body.kind) {
    case 'answer': {
      const ask = head.asks[body.interrupt];
      if (!ask) return [];
      const { interrupt, outcome, parts } = body;
      const answered = { kind: 'answered' as const, interrupt, outcome, fact: id };
      if (ask.call === null || outcome === 'approved') return [{ ...answered, parts }];
      // What settles a call stands in its result alone, so that it is hidden and erased with it.
      const settled = outcome === 'denied' ? ('denied' as const) : ('result' as const);
      return [
        { ...answered, parts: [] },
        { kind: 'call_settled', call: ask.call, outcome: settled, parts },
      ];
    }
    case 'child_finished': {
      const call = head.calls[body.call];
      if (!call || call.stage === 'settled') return [];
      return [{ kind: 'call_settled', call: body.call, outcome: body.outcome, parts: body.parts }];
    }
    case 'steer':
      return hasOpenCall(head) || hasOpenAsk(head) ? 'later' : [{ kind: 'input', parts: body.parts, fact: id }];
    case 'patch':
    case 'cancel':
      return [];
  }
};
