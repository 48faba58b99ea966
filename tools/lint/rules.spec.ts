import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LintedWorkspace } from './linted-workspace.js';
import { direction } from './planted/direction.js';
import { language } from './planted/language.js';
import { layout } from './planted/layout.js';
import { vendors } from './planted/vendors.js';

/**
 * Every rule of eslint.config.mjs is seen to bite and to let go. The real configuration runs once, on a copy of the
 * workspace whose sources are the planted files and nothing else.
 */
describe('the rules of the workspace', () => {
  let workspace: LintedWorkspace;
  const planted = [...direction, ...vendors, ...layout, ...language];
  const violations = planted.flatMap((one) => (one.says ? [{ ...one, says: one.says }] : []));
  const cleanCases = planted.filter(({ says }) => says === undefined);

  beforeAll(async () => {
    workspace = new LintedWorkspace();
    await workspace.lint(planted.flatMap(({ path, text, beside = [] }) => [{ path, text }, ...beside]));
  }, 120_000);

  afterAll(() => {
    workspace.remove();
  });

  it.each(violations)('$rule stops $that', ({ rule, path, says }) => {
    const said = workspace.findings(path).filter((finding) => finding.rule === rule);
    expect(said.map(({ message }) => message).join('\n')).toMatch(says);
  });

  it.each(cleanCases)('$rule lets pass $that', ({ path }) => {
    expect(workspace.findings(path)).toEqual([]);
  });

  it('each have a violation and a clean case', () => {
    const seen = (cases: readonly { rule: string }[]) => new Set(cases.map(({ rule }) => rule));
    expect(workspace.houseRules.filter((rule) => !seen(violations).has(rule))).toEqual([]);
    expect(workspace.houseRules.filter((rule) => !seen(cleanCases).has(rule))).toEqual([]);
  });

  it('stand in files of their own', () => {
    const paths = planted.map(({ path }) => path);
    expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
  });
});
