import { type Verbs } from '../reference/verbs.js';

/** The same verbs, each telling what it was asked and what it answered, in few words. */
export const traced = (verbs: Verbs, note: (line: string) => void): Verbs =>
  Object.fromEntries(
    Object.entries(verbs).map(([name, verb]) => [
      name,
      (...args: unknown[]) => {
        const answer = (verb as (...args: unknown[]) => unknown)(...args);
        const idle = Array.isArray(answer) && answer.length === 0;
        if (!idle) note(`${name} ${args.map(brief).join(' ')} → ${brief(answer)}`);
        return answer;
      },
    ]),
  ) as Verbs;

const UUID = /"0{8}-0000-4000-8000-0*([0-9a-f]+)"/g;

/** JSON without what can be had from the log, and with ids by their numbers. */
const brief = (value: unknown): string =>
  value === undefined ? '–' : JSON.stringify(value, withoutState).replaceAll(UUID, '#$1').replaceAll('"', '');

const OMITTED = new Set(['tenant', 'head', 'budget', 'usage', 'agent', 'version', 'origin', 'now', 'at', 'startedAt']);

const withoutState = (key: string, value: unknown): unknown => (OMITTED.has(key) ? undefined : value);
