import { type core } from 'zod';

type Issue = core.$ZodIssue;
type Path = readonly PropertyKey[];

/** What is wrong, as single issues with whole paths: an issue of a union becomes those of the branch that was meant. */
export function flatIssues(issues: readonly Issue[], at: Path = []): Issue[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path];
    const branch = issue.code === 'invalid_union' ? meantBranch(issue.errors) : undefined;
    return branch ? flatIssues(branch, path) : [{ ...issue, path }];
  });
}

/**
 * The branch of a union that the author most likely meant: one that takes this kind of value at all and finds the
 * least wrong with it. Undefined when two branches are as likely.
 */
function meantBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const fitting = branches.filter((issues) => !issues.some(refusesKind));
  const [best, next] = (fitting.length > 0 ? fitting : [...branches]).sort((a, b) => a.length - b.length);
  return best && best.length !== next?.length ? best : undefined;
}

function refusesKind(issue: Issue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
}

/** A path as OpenAI writes it: `messages[2].content[0].text`. */
export function pathText(path: Path): string {
  return path
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

/** The value that a path leads to; undefined when it leads nowhere. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    root,
  );
}
