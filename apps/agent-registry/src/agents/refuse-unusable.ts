import { type AgentDefinition, issuesText, MAX_PAGE_BYTES, PlatformError, refuseLarge } from '@parley/core';
import { outputSchemaIssues } from '@parley/effects';

/**
 * What a definition has to be beyond its form, whoever saves it: what is saved can be run, and
 * carried between services, alone and in lists.
 * @throws PlatformError `too_large` or `invalid_input` with paths into the definition.
 */
export const refuseUnusable = (definition: AgentDefinition): void => {
  refuseLarge(definition, MAX_PAGE_BYTES);
  const { output } = definition;
  const found = output ? outputSchemaIssues(output) : [];
  if (found.length === 0) return;
  const issues = found.map(({ path, message }) => ({ path: under('output.schema', path), message }));
  throw new PlatformError('invalid_input', issuesText(issues), { issues });
};

const under = (place: string, path: string): string =>
  path === '' || path.startsWith('[') ? place + path : `${place}.${path}`;
