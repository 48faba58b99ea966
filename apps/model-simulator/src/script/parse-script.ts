import { flatIssues, pathText } from '../rules/flat-issues.js';
import { Script } from './script.js';

/** Checks a script, such as the JSON of a script file. Throws an Error that lists every mistake with its path. */
export function parseScript(value: unknown): Script {
  const parsed = Script.safeParse(value);
  if (parsed.success) return parsed.data;
  const mistakes = flatIssues(parsed.error.issues).map(
    ({ path, message }) => `  ${pathText(path) || 'script'}: ${message}`,
  );
  throw new Error(`The script of the model simulator is not valid:\n${mistakes.join('\n')}`);
}
