import { isDeepStrictEqual } from 'node:util';
import { type Issue, PlatformError } from '@parley/core';
import { type AgentStep, type CreateAgentRequest } from './wire.js';

/** The one step of an agent, by its name. */
export interface Entry {
  name: string;
  step: AgentStep;
}

/**
 * Which step an agent starts with, from the two ways of saying it: `first_step_name` of `steps`, or the deprecated
 * `first_step`; both only where they say the same.
 * @throws PlatformError `invalid_input`, naming the field.
 */
export const entryOf = (request: Pick<CreateAgentRequest, 'first_step' | 'first_step_name' | 'steps'>): Entry => {
  const { first_step: first, first_step_name: named } = request;
  const name = named ?? first?.name;
  if (name === undefined) throw refused(['first_step_name', 'is required, and names one of steps']);
  const steps = new Map(Object.entries(request.steps ?? {}));
  const issues = first ? contradictions(first, named, steps) : [];
  if (first && named === undefined) steps.set(name, unnamed(first));
  const step = steps.get(name);
  if (!step) throw refused(...issues, ['first_step_name', `'${name}' is not one of steps`]);
  for (const other of steps.keys()) if (other !== name) issues.push([`steps.${other}`, SECOND_STEP]);
  if (step.reentry_step !== undefined && !steps.has(step.reentry_step)) {
    issues.push([`steps.${name}.reentry_step`, `'${step.reentry_step}' is not one of steps`]);
  }
  if (issues.length > 0) throw refused(...issues);
  return { name, step };
};

const SECOND_STEP = 'is a second step, which this version of Parley does not support';

type Found = [path: string, message: string];
type FirstStep = NonNullable<CreateAgentRequest['first_step']>;

/** `first_step` may stand beside the step of its name where both are the same, and has to where it is named too. */
const contradictions = (first: FirstStep, named: string | undefined, steps: Map<string, AgentStep>): Found[] => {
  if (named !== undefined && named !== first.name) {
    return [['first_step_name', `is not the name of first_step, which is '${first.name}'`]];
  }
  const same = steps.get(first.name);
  const differs = same ? !isDeepStrictEqual(plain(same), unnamed(first)) : named !== undefined;
  return differs ? [['first_step', `is not the same as steps.${first.name}`]] : [];
};

const unnamed = ({ name: _name, ...step }: FirstStep): AgentStep => plain(step);

/** Without what the published document ignores. */
const plain = ({ type: _type, ...step }: AgentStep): AgentStep => step;

const refused = (...found: Found[]): PlatformError => {
  const issues: Issue[] = found.map(([path, message]) => ({ path, message }));
  return new PlatformError('invalid_input', issues.map(({ path, message }) => `${path} ${message}`).join('; '), {
    issues,
  });
};
