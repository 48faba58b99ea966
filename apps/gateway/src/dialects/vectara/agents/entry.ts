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
  const steps = new Map(Object.entries(request.steps ?? {}));
  const name = request.first_step_name ?? request.first_step?.name;
  if (name === undefined) throw refused(['first_step_name', 'is required, and names one of steps']);
  const first = request.first_step && unnamed(request.first_step);
  const issues = first ? contradictions(request, first) : [];
  if (first && request.first_step_name === undefined) steps.set(name, first);
  const step = steps.get(name);
  if (!step) issues.push(['first_step_name', `'${name}' is not one of steps`]);
  for (const other of steps.keys()) {
    if (other !== name)
      issues.push([`steps.${other}`, 'is a second step, which this version of Parley does not support']);
  }
  if (step?.reentry_step !== undefined && !steps.has(step.reentry_step)) {
    issues.push([`steps.${name}.reentry_step`, `'${step.reentry_step}' is not one of steps`]);
  }
  if (!step || issues.length > 0) throw refused(...issues);
  return { name, step };
};

type Found = [path: string, message: string];

const contradictions = (
  { first_step, first_step_name, steps }: Parameters<typeof entryOf>[0],
  first: AgentStep,
): Found[] => {
  const name = first_step?.name ?? '';
  if (first_step_name !== undefined && first_step_name !== name) {
    return [['first_step_name', `is not the name of first_step, which is '${name}'`]];
  }
  const same = steps?.[name];
  const mustBeThere = first_step_name !== undefined;
  return same ? (isDeepStrictEqual(plain(same), first) ? [] : differs(name)) : mustBeThere ? differs(name) : [];
};

const differs = (name: string): Found[] => [['first_step', `is not the same as steps.${name}`]];

const unnamed = ({ name: _name, ...step }: NonNullable<CreateAgentRequest['first_step']>): AgentStep => plain(step);

/** Without what the published document ignores. */
const plain = ({ type: _type, ...step }: AgentStep): AgentStep => step;

const refused = (...found: Found[]): PlatformError => {
  const issues: Issue[] = found.map(([path, message]) => ({ path, message }));
  return new PlatformError('invalid_input', issues.map(({ path, message }) => `${path} ${message}`).join('; '), {
    issues,
  });
};
