import { type AgentDefinition, type CallId, type RunHead } from '@parley/core';
import {
  type CallModel,
  type EndRun,
  type ReactAction,
  type ReactReason,
  type RefuseModel,
  type Wait,
} from './react-action.js';
import { type Finish, type ReactFacts, type ReactState } from './react-state.js';
import { refuseCall } from './refuse-call.js';
import { renderInstructions } from './render-instructions.js';

/**
 * What a reply without calls says of the run. It succeeded also where the model ran into its token limit or the
 * provider withheld the rest: what there is of the answer is in the log, and the reason says that it is not all.
 */
const ANSWERED: Record<Finish, ReactReason | null> = {
  stop: null,
  calls: null,
  length: 'length',
  filtered: 'filtered',
};

/**
 * What a react agent does next: settle the open calls, end with the model's answer, or ask the model again, if the
 * budget allows it, and when the time has come. Pure, and never empty. Actions of one answer do not depend on each other's outcome.
 */
export const decide = (definition: AgentDefinition, state: ReactState, facts: ReactFacts): ReactAction[] => {
  const calls = openCalls(state);
  if (calls.length > 0) return calls.map((call) => refuseCall(call, state));
  if (state.answer !== null) return [{ kind: 'end', state: 'succeeded', reason: ANSWERED[state.answer] }];
  return [
    exhausted(state, facts) ??
      refuseUnpriced(definition, state, facts) ??
      wait(state, facts) ??
      callModel(definition, state),
  ];
};

const openCalls = ({ calls }: ReactState): CallId[] =>
  (Object.keys(calls) as CallId[]).filter((call) => calls[call]?.stage !== 'settled');

const exhausted = (state: ReactState, { now, startedAt, budget }: ReactFacts): EndRun | undefined => {
  const { run } = state;
  if (run.failures > 0 && run.retryAt === undefined) return { kind: 'end', state: 'failed', reason: state.failure };
  if (now >= startedAt + budget.wallMs) return { kind: 'end', state: 'timed_out', reason: null };
  if (run.rounds >= budget.rounds) return { kind: 'end', state: 'failed', reason: 'rounds_exceeded' };
  if (run.tokens >= (budget.tokens ?? Infinity)) return { kind: 'end', state: 'failed', reason: 'tokens_exceeded' };
  if ((run.costMicroUsd ?? 0) >= (budget.costMicroUsd ?? Infinity))
    return { kind: 'end', state: 'failed', reason: 'cost_exceeded' };
  return undefined;
};

/** A limit that nobody can hold a run to would be none. */
const refuseUnpriced = (
  { model: { handle } }: AgentDefinition,
  { run }: ReactState,
  { budget, isPriced }: ReactFacts,
): RefuseModel | undefined => {
  if (isPriced || budget.costMicroUsd === undefined) return undefined;
  const message =
    `budget.costMicroUsd limits what this run may cost, and the price of model '${handle}' is not known: ` +
    'give it a price in the providers file, or take the limit away';
  return { kind: 'refuse_model', ...place(run), code: 'price_unknown', message };
};

const wait = ({ run }: ReactState, { now, startedAt, budget, providerReadyAt }: ReactFacts): Wait | undefined => {
  const readyAt = Math.max(run.retryAt ?? now, providerReadyAt);
  return readyAt > now ? { kind: 'wait', until: Math.min(readyAt, startedAt + budget.wallMs) } : undefined;
};

/** Which call is the next. */
const place = ({ rounds, failures }: RunHead) => ({ round: rounds + 1, attempt: failures + 1 });

const callModel = (
  { model, instructions, output }: AgentDefinition,
  { run, messages, fault }: ReactState,
): CallModel => ({
  kind: 'call_model',
  ...place(run),
  handle: model.handle,
  parameters: model.parameters,
  instructions: renderInstructions(instructions),
  messages,
  output,
  repair: fault ?? undefined,
});
