import { type AgentDefinition, issuesText, PlatformError } from '@parley/core';
import { facetOf } from './facet.js';

type StepSaid = { output_parser?: unknown } | null | undefined;

/** Where a request may say of what form an agent's answers are. */
export interface Said {
  first_step?: StepSaid;
  steps?: Record<string, StepSaid> | null | undefined;
}

/** What the platform refuses of a definition, told by the fields of the request that it was made from. */
export const toldByField = (error: unknown, said: Said, definition: AgentDefinition): unknown => {
  if (!(error instanceof PlatformError && error.details.issues)) return error;
  const parser = `${stepPath(said, definition)}.output_parser.json_schema`;
  const issues = error.details.issues.map(({ path, message }) => {
    return { path: path.replace(/^output(?=[.[]|$)/, () => parser), message };
  });
  return new PlatformError(error.code, issuesText(issues), { ...error.details, issues }, { cause: error });
};

/** The step of the definition as the request names it. */
const stepPath = ({ first_step: first, steps }: Said, { facets }: AgentDefinition): string => {
  const { step } = facetOf(facets);
  return first?.output_parser !== undefined && steps?.[step]?.output_parser === undefined
    ? 'first_step'
    : `steps.${step}`;
};
