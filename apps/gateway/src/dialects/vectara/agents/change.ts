import {
  type AgentView,
  type CreateAgentRequest,
  type StepChange,
  type StepView,
  type UpdateAgentRequest,
} from './wire.js';

/**
 * An agent with a PATCH in it, in the form in which agents are created, so that the result is judged as a new one
 * would be. Absent keeps, null clears, steps merge field by field, everything else is replaced as a whole.
 */
export const changedAgent = (view: AgentView, change: UpdateAgentRequest): object => {
  const { first_step: first, first_step_name: named, steps, ...fields } = change;
  const { key: _key, created_at: _made, updated_at: _changed, first_step: _step, ...kept } = view;
  const { name, map } = changedFirst(view, first);
  const entry = named ?? name;
  const merged = { ...kept, ...fields, first_step_name: entry, steps: changedSteps(map, steps) };
  return withoutNulls({ ...merged, tool_configurations: merged.tool_configurations ?? {} });
};

interface Steps {
  name: string;
  map: Record<string, unknown>;
}

/** `first_step` changes the step that the agent starts with, and may rename it. */
const changedFirst = (
  { first_step_name: before, steps }: AgentView,
  first: UpdateAgentRequest['first_step'],
): Steps => {
  if (!first) return { name: before, map: steps };
  const { name = before, ...change } = first;
  const { [before]: step, ...others } = steps;
  return { name, map: { ...others, [name]: changedStep(step, change, [before, name]) } };
};

const changedSteps = (
  map: Record<string, unknown>,
  changes: UpdateAgentRequest['steps'],
): CreateAgentRequest['steps'] | Record<string, unknown> => {
  if (changes === undefined) return map;
  if (changes === null) return {};
  const steps = { ...map };
  for (const [name, change] of Object.entries(changes)) {
    if (change === null) delete steps[name];
    else steps[name] = changedStep(steps[name] as StepView | undefined, change);
  }
  return steps;
};

const changedStep = (step: StepView | undefined, change: StepChange, renamed?: [from: string, to: string]): object => {
  const merged = { ...step, ...change };
  if (merged.instructions === null) merged.instructions = [];
  if (renamed && merged.reentry_step === renamed[0]) merged.reentry_step = renamed[1];
  return withoutNulls(merged);
};

const withoutNulls = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
