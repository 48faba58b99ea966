import { type AgentDefinition, issuesText, PlatformError } from '@parley/core';
import { outputSchemaIssues } from '@parley/effects';

/**
 * What a definition has to be beyond its form, whoever saves it: what is saved can be run.
 * @throws PlatformError `invalid_input` with paths into the definition.
 */
export const refuseUnusable = ({ output }: AgentDefinition): void => {
  const found = output ? outputSchemaIssues(output) : [];
  if (found.length === 0) return;
  const issues = found.map(({ path, message }) => ({ path: under('output.schema', path), message }));
  throw new PlatformError('invalid_input', issuesText(issues), { issues });
};

const under = (place: string, path: string): string =>
  path === '' || path.startsWith('[') ? place + path : `${place}.${path}`;
