import fc from 'fast-check';

/** Which of the tenants, sessions, runs … a step is about; read against what is there when the step comes. */
const index = (max: number) => fc.nat({ max });
/** Nearly always the first one, so that steps meet each other. */
const mostly = (often: number, max: number) => fc.oneof({ weight: often, arbitrary: fc.constant(0) }, index(max));
const place = { tenant: mostly(3, 1), session: mostly(6, 2) };
const executor = index(1);

/** What a writer has to say, beside the facts that it places. */
export const PLANS = [
  'nothing',
  'reply',
  'calls',
  'calls',
  'dispatch',
  'settle',
  'ask',
  'question',
  'fail',
  'restart',
] as const;
export type Plan = (typeof PLANS)[number];

const writing = {
  /** 0: what it still holds, as far as it knows; beyond: what it was ever given, latest first. */
  holding: mostly(4, 2),
  plan: fc.constantFrom(...PLANS),
  /** How many events the writer is behind. */
  behind: mostly(8, 1),
  /** How many claims ago it got the run. */
  stale: mostly(8, 1),
  /** Whether it heard of the facts that it was given. */
  deaf: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.boolean()),
};

/** Those that cost a connection are rare. */
const weighted = {
  admit: {
    weight: 32,
    arbitrary: fc.record({
      verb: fc.constant('admit'),
      ...place,
      run: index(6),
      whenBusy: fc.constantFrom('reject', 'defer', 'steer', 'interrupt', 'rollback'),
      whenWaiting: fc.constantFrom('reject', 'defer', 'supersede'),
      handOver: fc.option(executor, { freq: 2 }),
      fault: fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, fc.constantFrom('version', 'agent', 'session')),
    }),
  },
  post: {
    weight: 24,
    arbitrary: fc.record({
      verb: fc.constant('post'),
      ...place,
      /** 0: the run that has the turn; beyond: any that was heard of. */
      run: mostly(2, 7),
      fact: index(2),
      kind: fc.constantFrom('cancel', 'rollback', 'steer', 'steer', 'answer', 'answer', 'child_finished'),
    }),
  },
  write: {
    weight: 16,
    arbitrary: fc.record({
      verb: fc.constant('write'),
      ...place,
      behind: writing.behind,
      deaf: writing.deaf,
      then: fc.constantFrom('leave', 'queue', 'queue', 'end'),
      rewind: fc.boolean(),
    }),
  },
  takeOver: {
    weight: 8,
    arbitrary: fc.record({
      verb: fc.constant('takeOver'),
      ...place,
      behind: writing.behind,
      stale: writing.stale,
      rewind: fc.boolean(),
    }),
  },
  claim: {
    weight: 32,
    arbitrary: fc.record({ verb: fc.constant('claim'), executor, slots: fc.integer({ min: 1, max: 3 }) }),
  },
  append: { weight: 24, arbitrary: fc.record({ verb: fc.constant('append'), ...writing }) },
  park: {
    weight: 20,
    arbitrary: fc.record({
      verb: fc.constant('park'),
      ...writing,
      waitingFor: fc.constantFrom('person', 'person', 'client', 'timer', 'child'),
      /** Hours from now. */
      due: fc.constantFrom(null, -1, 1),
    }),
  },
  finish: {
    weight: 20,
    arbitrary: fc.record({
      verb: fc.constant('finish'),
      ...writing,
      state: fc.constantFrom('succeeded', 'failed', 'timed_out'),
      reason: fc.constantFrom(null, 'model_failed', 'poison: it was killed'),
    }),
  },
  release: { weight: 8, arbitrary: fc.record({ verb: fc.constant('release'), ...writing }) },
  heartbeat: { weight: 4, arbitrary: fc.record({ verb: fc.constant('heartbeat'), executor }) },
  reclaim: {
    weight: 8,
    arbitrary: fc.record({
      verb: fc.constant('reclaim'),
      executor,
      scope: fc.constantFrom('dead', 'dead', 'dead', 'everyone'),
    }),
  },
  kill: { weight: 1, arbitrary: fc.record({ verb: fc.constant('kill'), executor }) },
  register: { weight: 1, arbitrary: fc.record({ verb: fc.constant('register'), executor }) },
  elapse: {
    weight: 8,
    /** To after what is due 2 s from now, or 1 h from now. */
    arbitrary: fc.record({ verb: fc.constant('elapse'), tenant: index(1), ms: fc.constantFrom(60_000, 5_400_000) }),
  },
  edit: {
    weight: 20,
    arbitrary: fc.record({
      verb: fc.constant('edit'),
      ...place,
      how: fc.constantFrom('hide', 'unhide', 'erase'),
      /** Counted over all parts of the log, latest first; 9: of an event that does not exist. */
      parts: fc.array(index(9), { minLength: 1, maxLength: 2 }),
    }),
  },
  read: {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constant('read'),
      ...place,
      after: index(5),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  remove: { weight: 4, arbitrary: fc.record({ verb: fc.constant('remove'), ...place }) },
} as const;

type Weighted = typeof weighted;

/** One call of a verb, in numbers that get their meaning from what is there when it is made. */
export type StepOf<V extends keyof Weighted> = Weighted[V]['arbitrary'] extends fc.Arbitrary<infer S> ? S : never;
export type Step = { [V in keyof Weighted]: StepOf<V> }[keyof Weighted];

const anyStep: fc.Arbitrary<Step> = fc.oneof(...Object.values(weighted));

/** Sequences of about a dozen verbs that begin with something to work on. */
export const sequences: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.array(weighted.admit.arbitrary, { minLength: 1, maxLength: 3 }),
    fc.array(anyStep, { minLength: 6, maxLength: 14, size: 'max' }),
  )
  .map(([admissions, steps]) => [...admissions, ...steps]);
